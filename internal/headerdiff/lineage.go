package headerdiff

import (
	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/reconstruct"
	"github.com/dsh-verify/dsh-verify/reconstruct/transcript"
)

// A Step is how a header follows another one in the place of which it came.
type Step struct {
	Old, New *reconstruct.EpochHeader
	Changes  []Change
}

// Fork compares the first header that a session wrote itself with the one that was
// in force in its parent's log when the session began: at the end of what it
// inherited, or where it inherited nothing, at the time of its creation. It returns
// nil when one of the two is missing.
func Fork(child, parent *logformat.Reader) (*Step, error) {
	header, err := child.Header()
	if err != nil {
		return nil, err
	}
	log := transcript.New(header)
	first, err := fold(child, func(e *logformat.Event) bool { return !log.Inherited(e.Seq) }, true)
	if err != nil || first == nil {
		return nil, err
	}
	before := func(e *logformat.Event) bool { return e.Time <= header.CreatedAt }
	if log.Seed() > 0 {
		before = func(e *logformat.Event) bool { return log.Inherited(e.Seq) }
	}
	old, err := fold(parent, before, false)
	if err != nil || old == nil {
		return nil, err
	}
	return &Step{old, first, Compare(old, first)}, nil
}

// fold reads a log's headers and returns the first or the last of those that are
// wanted.
func fold(r *logformat.Reader, wanted func(*logformat.Event) bool, first bool) (found *reconstruct.EpochHeader, err error) {
	header, err := r.Header()
	if err != nil {
		return nil, err
	}
	for act, err := range transcript.New(header).Acts(r) {
		switch {
		case err != nil:
			return nil, err
		case act.Kind != transcript.Snapshot || !wanted(act.Event) || first && found != nil:
			continue
		}
		found = reconstruct.NewHeader(act)
	}
	return found, nil
}
