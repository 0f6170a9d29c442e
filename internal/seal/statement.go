package seal

import (
	"encoding/json"
	"errors"
	"fmt"

	"golang.org/x/mod/sumdb/tlog"

	"github.com/dsh-verify/dsh-verify/internal/strictjson"
	"github.com/dsh-verify/dsh-verify/internal/visible"
)

// SchemaVersion is the version of the statement.
const SchemaVersion = 1

// kind tells a statement from other JSON.
const kind = "dsh-verify seal"

// A Statement says what a log held when it was sealed.
type Statement struct {
	Kind          string    `json:"kind"`
	SchemaVersion int       `json:"schemaVersion"`
	Tool          string    `json:"tool"` // that made it
	SessionID     string    `json:"sessionId"`
	FormatVersion int64     `json:"formatVersion"`
	HeaderSHA256  string    `json:"headerSha256"` // of the log's header line, without its line feed
	Stored        *Stored   `json:"stored"`       // null: it was no file of its own
	Tree          Tree      `json:"tree"`
	Requests      []Request `json:"requests"`
	Objects       []string  `json:"objects"` // attachment ids that messages reference, in the order of the log
}

// Stored describes the stored bytes of a log up to its last complete record.
type Stored struct {
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// A Tree is the tree over the log's events. Hashes print in base64.
type Tree struct {
	Events int64       `json:"events"`
	Root   tlog.Hash   `json:"root"`
	Blocks []tlog.Hash `json:"blocks"` // of each 256 events
	Marks  []byte      `json:"marks"`  // three bytes for each event
}

// A Request is the digest of a request that the log shows as sent.
type Request struct {
	Request     string `json:"request"` // turn.step.attempt
	DispatchSeq int64  `json:"dispatchSeq"`
	Bytes       int64  `json:"bytes"`
	SHA256      string `json:"sha256"`
}

// Parse reads a statement. The error says that it is none, or one that contradicts
// itself.
func Parse(text []byte) (*Statement, error) {
	v, odd, err := strictjson.Parse(text)
	switch {
	case err != nil:
		return nil, fmt.Errorf("not a seal: it is not JSON: %w", err)
	case !v.Lookup("kind").Is(kind):
		return nil, errors.New("not a seal: its kind is not " + kind)
	case odd.Any():
		return nil, fmt.Errorf("not a seal: %s", odd)
	}
	if n, ok := v.Lookup("schemaVersion").SafeInt(); !ok || n != SchemaVersion {
		return nil, fmt.Errorf("a seal of schema version %s; this build reads %d", v.Lookup("schemaVersion"), SchemaVersion)
	}
	if err := checkShape(v); err != nil {
		return nil, fmt.Errorf("not a seal: %w", err)
	}
	s, err := decode(v)
	if err != nil {
		return nil, fmt.Errorf("not a seal: %w", err)
	}
	if err := s.agree(); err != nil {
		return nil, fmt.Errorf("the seal contradicts itself: %w", err)
	}
	return s, nil
}

// Format prints a statement.
func (s *Statement) Format() ([]byte, error) {
	text, err := json.MarshalIndent(s, "", "  ")
	return append(visible.JSON(text), '\n'), err
}

// mark returns the mark of an event.
func (t *Tree) mark(seq int64) mark { return mark(t.Marks[seq*markLen:]) }
