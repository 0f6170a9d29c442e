// Package lineage compares a session with the one it says it came from: a fork's
// first events are its parent's, and a subagent is one level deeper than the
// session that started it.
package lineage

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"

	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/reconstruct/transcript"
)

// Check compares a child's log with its parent's. Why the parent's log is refused is
// its own finding; that nothing was compared for it is said here.
func Check(child, parent *logformat.Reader) ([]finding.Finding, error) {
	ch, err := child.Header()
	if err != nil {
		return nil, nil
	}
	ph, err := parent.Header()
	if err != nil {
		f, err := short(err, theParent, 0, transcript.New(ch).Seed())
		if f == nil {
			return nil, err
		}
		return []finding.Finding{*f}, nil
	}
	var found []finding.Finding
	if ch.Origin == "subagent" && ch.DelegationDepth != ph.DelegationDepth+1 {
		detail := fmt.Sprintf("depth %d below a session of depth %d", ch.DelegationDepth, ph.DelegationDepth)
		found = append(found, finding.New(finding.LineageDepth, finding.Plain(detail), finding.Place{Line: 1, Seq: -1}))
	}
	difference, err := inherited(child, parent, transcript.New(ch).Seed())
	if err != nil {
		return found, err
	}
	if difference != nil {
		found = append(found, *difference)
	}
	return found, nil
}

// inherited compares the first n events, one by one.
func inherited(child, parent *logformat.Reader, n int64) (*finding.Finding, error) {
	mine, theirs := newEvents(child), newEvents(parent)
	defer mine.stop()
	defer theirs.stop()
	for seq := int64(0); seq < n; seq++ {
		a, err := mine.next()
		if err != nil {
			return short(err, "the child", seq, n)
		}
		b, err := theirs.next()
		if err != nil {
			return short(err, theParent, seq, n)
		}
		if what := differs(a, b); what != "" {
			f := finding.New(finding.LineageEvents, finding.Say("event %d of the %d inherited ones: %s", seq, n, what),
				finding.Place{Line: a.Pos.Line, Seq: seq})
			return &f, nil
		}
	}
	return nil, nil
}

const theParent = "the parent"

// short reports a log that ends inside the inherited events, and a parent's that is
// refused there. A refusal of the child is the child's own finding.
func short(err error, whose string, seq, n int64) (*finding.Finding, error) {
	if errors.Is(err, io.EOF) {
		f := finding.New(finding.LineageEvents, finding.Say("%s's log ends after %d of the %d inherited events", whose, seq, n), finding.Place{Seq: -1})
		return &f, nil
	}
	refusal, refused := errors.AsType[*logformat.Refusal](err)
	switch {
	case !refused:
		return nil, err
	case whose == theParent:
		f := finding.New(finding.LineageRefused, finding.Plain(string(refusal.Code)), finding.Place{Seq: -1})
		return &f, nil
	}
	return nil, nil
}

func differs(a, b *logformat.Event) string {
	switch {
	case a.Type != b.Type:
		return fmt.Sprintf("type %s, the parent's is %s", a.Type, b.Type)
	case a.Time != b.Time:
		return "its time differs"
	case !bytes.Equal(a.Data, b.Data):
		return "the data of " + a.Type + " differs"
	case a.Surface != b.Surface || !slices.Equal(a.Sources, b.Sources) || a.Ignorable != b.Ignorable:
		return "the envelope of " + a.Type + " differs"
	}
	return ""
}

// events pulls the events of a reader one by one.
type events struct {
	pull func() (*logformat.Event, error, bool)
	stop func()
}

func newEvents(r *logformat.Reader) *events {
	pull, stop := iter.Pull2(r.Events())
	return &events{pull, stop}
}

func (e *events) next() (*logformat.Event, error) {
	event, err, ok := e.pull()
	if !ok {
		return nil, io.EOF
	}
	return event, err
}
