package reconstruct

import (
	"errors"
	"io"
	"iter"

	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
	"github.com/dsh-verify/dsh-verify/reconstruct/transcript"
)

// Options adjust the rebuild.
type Options struct {
	// Observe, when set, sees what every record says before it is applied. The
	// session's surface and header are as they were before the record.
	Observe func(*transcript.Act)
	// Oneshot, when set, is told of the requests outside the loop.
	Oneshot func(*Oneshot)
}

// A Session folds the records of one log into requests.
type Session struct {
	opts      Options
	header    *logformat.SessionHeader
	sessionID ecmajson.Value // as a JSON string
	log       *transcript.Log
	dialect   *Dialect

	act       *transcript.Act // the latest
	surface   Surface
	epoch     *EpochHeader
	tools     toolHistory // nil: requests have none
	writer    writer      // of the current lifetime
	boundary  boundary
	layoutKey layoutKey
	layouts   []*layout // of layoutKey
	digester  digester
	history   history
	doubt     Doubt // of the current lifetime
	oldDoubt  Doubt // of earlier lifetimes

	announced  transcript.Announcement // by the act before
	compacting *EpochHeader            // in force when the latest compaction began
	oneshots   map[OneshotKind]int

	stats Stats
}

// Stats counts what the fold has seen.
type Stats struct {
	Requests  int   // that the log shows as sent
	Prepared  int   // that it cannot show as sent
	Inherited int   // sent by the parent session
	Headless  int   // attempts without any header snapshot before them
	Turns     int64 // turns that this session started itself
	Steps     int64
	Attempts  int64 // attempts beyond the first of their step
	Headers   int   // snapshots
	Replaces  int
}

// NewSession returns the fold of the log with the given header.
func NewSession(header *logformat.SessionHeader, opts Options) *Session {
	return newSession(header, dialects[header.Version], opts)
}

func newSession(header *logformat.SessionHeader, dialect *Dialect, opts Options) *Session {
	s := &Session{
		opts: opts, header: header, sessionID: ecmajson.AppendString(nil, header.ID),
		log: transcript.New(header), dialect: dialect, writer: newWriter(header),
	}
	s.surface.rules, s.surface.before = &dialect.surface, s.leaving
	s.boundary = dialect.boundary(s)
	if dialect.tools != nil {
		s.tools = dialect.tools()
	}
	return s
}

// Header returns the log's header line.
func (s *Session) Header() *logformat.SessionHeader { return s.header }

// Surface returns the surface as it is now.
func (s *Session) Surface() *Surface { return &s.surface }

// Epoch returns the header in force, nil before the first snapshot.
func (s *Session) Epoch() *EpochHeader { return s.epoch }

// Stats returns the counts so far.
func (s *Session) Stats() Stats { return s.stats }

// Act returns what the record said that was applied last, nil before the first. It is
// valid until the next one.
func (s *Session) Act() *transcript.Act { return s.act }

// Seed returns how many of the log's first events were inherited from the parent
// session.
func (s *Session) Seed() int64 { return s.log.Seed() }

// EndsLifetime reports whether the record that was applied last shows that a process
// ended: the end of a seed of the session's own, which is written by the one that goes on.
// The first of a fork ends its inheritance.
func (s *Session) EndsLifetime() bool {
	seed := s.Seed()
	return s.act.Kind == transcript.SeedEnd && (seed == 0 || s.act.Event.Seq > seed)
}

// Inherited reports whether an event was inherited from the parent session.
func (s *Session) Inherited(seq int64) bool { return s.log.Inherited(seq) }

// Requests reads a log to its end and yields its requests: those that the log
// shows as sent, and the prepared ones among them. A refusal of the log, by the
// reader or by the surface rules, is the last thing yielded.
func (s *Session) Requests(r *logformat.Reader) iter.Seq2[*Request, error] {
	return func(yield func(*Request, error) bool) {
		for rec, err := range r.Records() {
			if err != nil {
				yield(nil, err)
				return
			}
			q, err := s.Apply(rec)
			if err != nil {
				yield(nil, Outranked(r, err))
				return
			}
			if q != nil && !yield(q, nil) {
				return
			}
		}
		if q := s.Finish(); q != nil {
			yield(q, nil)
		}
	}
}

// Outranked reads the rest of the log and returns the refusal that decides:
// that of the surface, or one of higher rank that comes after it.
func Outranked(r *logformat.Reader, surface error) error {
	refusal, ok := errors.AsType[*logformat.Refusal](surface)
	if !ok {
		return surface
	}
	err := r.Drain()
	if other, ok := errors.AsType[*logformat.Refusal](err); ok {
		if r.Version().Outranks(other, refusal) {
			return other
		}
		return refusal
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	return refusal
}

// Apply folds one record. It returns the request that the record completes, nil when
// it completes none, which is valid until the next call. The error is the
// *[logformat.Refusal] of a surface rule.
func (s *Session) Apply(rec *logformat.Record) (*Request, error) { return s.fold(s.log.Act(rec)) }

// fold folds one act. First it is seen whether it shows that a request was made, of
// what surface and header were before it; then it changes them.
func (s *Session) fold(a *transcript.Act) (*Request, error) {
	s.act = a
	if s.opts.Observe != nil {
		s.opts.Observe(a)
	}
	s.oneshot(a)
	if a.Kind == transcript.Snapshot || a.OnSurface() {
		s.doubt |= doubtOf(a.Event.Form, a.Event.Upgraded)
	}
	q := s.boundary.act(a)
	if refusal := s.change(a); refusal != nil {
		return nil, refusal
	}
	s.announced = a.Announces
	return q, nil
}

// change lets an act change what later requests are made of.
func (s *Session) change(a *transcript.Act) *logformat.Refusal {
	switch a.Kind {
	case transcript.FirstByte:
		return nil
	case transcript.TurnStart:
		if !s.Inherited(a.Event.Seq) {
			s.stats.Turns++
		}
	case transcript.StepStart:
		if !s.Inherited(a.Event.Seq) {
			s.stats.Steps++
		}
	case transcript.Snapshot:
		s.epoch = NewHeader(a)
		s.writer.snapshot(s.epoch)
		s.history.snapshot = s.epoch
		s.stats.Headers++
	case transcript.SeedEnd:
		s.oldDoubt |= s.doubt
		s.doubt = 0
	}
	if s.tools != nil {
		s.tools.fold(a)
	}
	return s.put(a)
}

// put lets an act change the surface.
func (s *Session) put(a *transcript.Act) *logformat.Refusal {
	if !a.OnSurface() && a.Kind != transcript.Offload {
		return nil
	}
	m, refusal := s.surface.apply(a)
	if refusal != nil || !a.Replaces() && a.Kind != transcript.Offload {
		return refusal
	}
	if a.Replaces() {
		m.By = replaceKind(s.announced)
		s.stats.Replaces++
	}
	s.history.name(m)
	return nil
}

func replaceKind(announced transcript.Announcement) ReplaceKind {
	switch announced {
	case transcript.Compaction:
		return ByCompaction
	case transcript.Pruning:
		return ByPruning
	}
	return ByOther
}

// leaving runs before nodes leave the surface: messages that were taken are kept as
// they were, and digests after the first node are forgotten.
func (s *Session) leaving(first *Message) {
	s.boundary.leaving()
	count, bytes, ok := s.digester.before(s.surface.head, first)
	if ok {
		s.history.replaced(count, bytes)
	}
	s.digester.drop(first)
}

// Finish ends the fold and returns the prepared request of a step that was left
// open, nil when there is none.
func (s *Session) Finish() *Request { return s.boundary.finish() }
