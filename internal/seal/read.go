package seal

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/mod/sumdb/tlog"

	"github.com/dsh-verify/dsh-verify/internal/visible"
	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/objectstore"
	"github.com/dsh-verify/dsh-verify/reconstruct"
)

// A Log is what a log holds now, as far as it can be read.
type Log struct {
	Header   *logformat.SessionHeader
	Version  int64
	Encoding logformat.Encoding
	Read     logformat.Stats
	Fold     reconstruct.Stats
	Tail     *logformat.Tail
	Refusal  *logformat.Refusal // nil: it is sound; otherwise the events are those in front of the fault
	tree     tree
	marks    []mark
	types    []string
	places   []logformat.Position
	requests []Request
	objects  []string
	// By how many events a request or an object was known.
	requestsAt, objectsAt []int64
}

// Read reads a log. The error is a failure to read; a log that is refused is a
// result.
func Read(r *logformat.Reader) (*Log, error) {
	l := new(Log)
	header, err := r.Header()
	if err == nil {
		l.Header, l.Version, l.Encoding = header, header.Format(), r.Encoding()
		err = l.read(r)
	}
	l.Read = r.Stats()
	if refusal, ok := errors.AsType[*logformat.Refusal](err); ok {
		l.Refusal = refusal
		return l, nil
	}
	l.Tail = r.Tail()
	return l, err
}

func (l *Log) read(r *logformat.Reader) error {
	session := reconstruct.NewSession(l.Header, reconstruct.Options{})
	names, seen := make(map[string]string), make(map[string]bool)
	var buf []byte
	for rec, err := range r.Records() {
		if err != nil {
			return err
		}
		for e := range rec.Events() {
			leaf, m, b := leafOf(buf, e)
			buf = b
			l.tree.add(leaf)
			l.marks = append(l.marks, m)
			l.types = append(l.types, intern(names, e.Type))
			l.places = append(l.places, e.Pos)
		}
		q, err := session.Apply(rec)
		if err != nil {
			return reconstruct.Outranked(r, err)
		}
		if q != nil {
			l.request(q)
		}
		l.message(session, seen)
	}
	if q := session.Finish(); q != nil {
		l.request(q)
	}
	l.Fold = session.Stats()
	return nil
}

func intern(names map[string]string, name string) string {
	if known, ok := names[name]; ok {
		return known
	}
	name = string(append([]byte(nil), name...))
	names[name] = name
	return name
}

func (l *Log) request(q *reconstruct.Request) {
	if !q.Prepared {
		l.requestsAt = append(l.requestsAt, l.tree.size)
		l.requests = append(l.requests, Request{q.Key(), q.Boundary.Dispatch, q.Len(), q.Digest().String()})
	}
}

// message notes the objects that a message references.
func (l *Log) message(session *reconstruct.Session, seen map[string]bool) {
	act := session.Act()
	if !act.OnSurface() {
		return
	}
	m := session.Surface().Node(act.Event.Seq)
	if m == nil {
		return
	}
	for v := range objectstore.References(m.Bytes) {
		if ref, failure := objectstore.ParseReference(v); failure == nil && !seen[ref.AttachmentID] {
			seen[ref.AttachmentID] = true
			l.objects = append(l.objects, ref.AttachmentID)
			l.objectsAt = append(l.objectsAt, l.tree.size)
		}
	}
}

// Seal states what the log holds. A refused log cannot be sealed.
func (l *Log) Seal(tool string, stored *Stored) *Statement {
	s := &Statement{
		Kind: kind, SchemaVersion: SchemaVersion, Tool: tool, SessionID: spelled(l.Header.ID), FormatVersion: l.Version,
		HeaderSHA256: headerDigest(l.Header), Stored: stored,
		Tree:     Tree{Events: l.tree.size, Root: l.tree.root(l.tree.size), Blocks: append([]tlog.Hash{}, l.tree.blocks(l.tree.size)...), Marks: []byte{}},
		Requests: append([]Request{}, l.requests...), Objects: append([]string{}, l.objects...),
	}
	for _, m := range l.marks {
		s.Tree.Marks = append(s.Tree.Marks, m[:]...)
	}
	return s
}

func headerDigest(h *logformat.SessionHeader) string { return fmt.Sprintf("%x", sha256.Sum256(h.Line)) }

// spelled returns an id as a statement holds it. JSON cannot hold half a surrogate pair,
// so its bytes are spelled out, and a backslash is doubled, so that no two ids look the
// same. All else is the id's own: it must not depend on which characters a reader sees.
func spelled(id string) string {
	var b strings.Builder
	for i := 0; i < len(id); {
		r, size := utf8.DecodeRuneInString(id[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, id[i])
		case r == '\\':
			b.WriteString(`\\`)
		default:
			b.WriteString(id[i : i+size])
		}
		i += size
	}
	return b.String()
}

// isSpelled reports whether a statement is about the id. Statements made before this
// form have escapes for more characters.
func isSpelled(id, stated string) bool {
	return stated == spelled(id) || stated == visible.Text(id, visible.Backslash)
}
