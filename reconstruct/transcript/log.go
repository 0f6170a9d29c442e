package transcript

import (
	"iter"

	"github.com/dsh-verify/dsh-verify/logformat"
)

// A projection says what an event of a format is. The act has nothing yet but its record.
type projection func(e *logformat.Event, a *Act)

// projections are those of the formats that are read.
var projections = map[*logformat.Version]projection{
	logformat.Version0: project0,
	logformat.Version1: project0,
	logformat.Version2: project2,
	logformat.Version3: project3,
	logformat.Version4: project4,
}

// A Log projects the records of one log.
type Log struct {
	header  *logformat.SessionHeader
	project projection
	act     Act
}

// New returns the projection of the log with the given header.
func New(header *logformat.SessionHeader) *Log {
	return &Log{header: header, project: projections[header.Version]}
}

// Act returns what a record says that happened. It is valid until the next call.
func (l *Log) Act(rec *logformat.Record) *Act {
	a := &l.act
	*a = Act{Record: rec}
	if rec.Row != nil || rec.Event.IsDelta() {
		a.Kind = FirstByte
	} else {
		l.project(rec.Event, a)
	}
	return a
}

// Acts reads a log to its end, as [logformat.Reader.Records] does.
func (l *Log) Acts(r *logformat.Reader) iter.Seq2[*Act, error] {
	return func(yield func(*Act, error) bool) {
		for rec, err := range r.Records() {
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(l.Act(rec), nil) {
				return
			}
		}
	}
}

// Seed returns how many of the log's first events were inherited from the parent
// session.
func (l *Log) Seed() int64 { return l.header.SeedLength }

// Inherited reports whether an event was inherited from the parent session: what it
// tells of was done there, under the parent's id.
func (l *Log) Inherited(seq int64) bool { return seq < l.header.SeedLength }

// Forked reports whether the log says that it began as another session's.
func (l *Log) Forked() bool { return l.header.HasParent || l.header.HasSeedLength }
