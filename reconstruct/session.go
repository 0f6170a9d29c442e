package reconstruct

import (
	"errors"
	"io"
	"iter"

	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

// Options adjust the rebuild.
type Options struct {
	// Observe, when set, sees every record before it is applied. The session's
	// surface and header are as they were before the record.
	Observe func(*logformat.Record)
	// Oneshot, when set, is told of the requests outside the loop.
	Oneshot func(*Oneshot)
}

// A Session folds the records of one log into requests.
type Session struct {
	opts      Options
	header    *logformat.SessionHeader
	sessionID ecmajson.Value // as a JSON string

	surface  Surface
	epoch    *EpochHeader
	digester digester
	history  history
	step     step
	doubt    Doubt  // of the current lifetime
	oldDoubt Doubt  // of earlier lifetimes
	previous string // type of the event before

	compacting *EpochHeader // in force when the latest compaction began
	oneshots   map[OneshotKind]int

	stats Stats
}

// Stats counts what the fold has seen.
type Stats struct {
	Requests  int   // that the log shows as sent
	Prepared  int   // that it cannot show as sent
	Inherited int   // sent by the parent session
	Headless  int   // attempts without any header snapshot before them
	Turns     int64 // turn/start events of this session's own
	Steps     int64
	Attempts  int64 // attempts beyond the first of their step
	Headers   int   // request/header snapshots
	Replaces  int
}

// NewSession returns the fold of the log with the given header.
func NewSession(header *logformat.SessionHeader, opts Options) *Session {
	s := &Session{opts: opts, header: header, sessionID: ecmajson.AppendString(nil, header.ID)}
	s.surface.before = s.leaving
	s.step.state = noStep
	return s
}

// Surface returns the surface as it is now.
func (s *Session) Surface() *Surface { return &s.surface }

// Epoch returns the header in force, nil before the first snapshot.
func (s *Session) Epoch() *EpochHeader { return s.epoch }

// Stats returns the counts so far.
func (s *Session) Stats() Stats { return s.stats }

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
// that of the surface, or one of higher rank that lies behind it.
func Outranked(r *logformat.Reader, surface error) error {
	refusal, ok := errors.AsType[*logformat.Refusal](surface)
	if !ok {
		return surface
	}
	err := r.Drain()
	if other, ok := errors.AsType[*logformat.Refusal](err); ok {
		if other.Before(refusal) {
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
func (s *Session) Apply(rec *logformat.Record) (*Request, error) {
	if s.opts.Observe != nil {
		s.opts.Observe(rec)
	}
	if rec.Row != nil {
		s.previous = logformat.TypeAssistantChunk
		return s.chunk(rec.Row.Seq0, rec.Row.Turn, rec.Row.Step, ""), nil
	}
	s.oneshot(rec.Event)
	q, err := s.event(rec.Event)
	s.previous = rec.Event.Type
	return q, err
}

// event folds one event; error is a *logformat.Refusal.
func (s *Session) event(e *logformat.Event) (*Request, error) {
	switch e.Type {
	case logformat.TypeAssistantChunk:
		if e.IsDelta() && s.step.state == streaming {
			return nil, nil
		}
		return s.chunk(e.Seq, e.Data.Lookup("turn"), e.Data.Lookup("step"), finishKind(e.Data)), nil
	case logformat.TypeTurnStart:
		q := s.closeStep(e.Seq)
		if !s.inherited(e.Seq) {
			s.stats.Turns++
		}
		return q, nil
	case logformat.TypeTurnEnd, logformat.TypeStepEnd:
		return s.closeStep(e.Seq), nil
	case logformat.TypeStepStart:
		q := s.closeStep(e.Seq)
		s.openStep(e)
		return q, nil
	case logformat.TypeRequestHeader:
		s.castDoubt(e)
		s.freezeMessages(e.Seq)
		s.epoch = FoldRequestHeader(s.epoch, e)
		s.history.snapshot = s.epoch
		s.stats.Headers++
		return nil, nil
	case logformat.TypeRequestContext:
		s.freezeMessages(e.Seq)
		return nil, nil
	case logformat.TypeLLMRetryStarted:
		s.endBatch(e.Seq)
		s.retryStarted(e.Seq)
		return nil, nil
	case logformat.TypeSessionEndSeed:
		s.endBatch(e.Seq)
		s.oldDoubt |= s.doubt
		s.doubt = 0
		return nil, nil
	}
	return s.surfaceEvent(e)
}

func (s *Session) surfaceEvent(e *logformat.Event) (*Request, error) {
	if !enters(e) {
		s.endBatch(e.Seq)
	}
	if e.Surface.Op == logformat.OpNone {
		return nil, nil
	}
	s.castDoubt(e)
	var q *Request
	if e.Type == logformat.TypeAssistantMessage && e.Surface.Op == logformat.OpAppend {
		q = s.answered(e)
	}
	m, refusal := s.surface.Apply(e)
	if refusal != nil {
		return nil, refusal
	}
	if e.Surface.Op == logformat.OpReplace {
		m.By = replaceKind(s.previous)
		s.stats.Replaces++
		s.history.name(m)
	}
	return q, nil
}

// enters reports whether an event that follows step/start, or others of the kind,
// is still in front of the point where the loop derives its messages: the
// entered batch of user messages, or a replace that no record announces.
func enters(e *logformat.Event) bool {
	return e.Surface.Op == logformat.OpReplace || e.Type == logformat.TypeUserMessage && e.Surface.Op == logformat.OpAppend
}

func replaceKind(previous string) ReplaceKind {
	switch previous {
	case logformat.TypeCompactionSummary:
		return ByCompaction
	case logformat.TypeCompactionPrune:
		return ByPruning
	}
	return ByOther
}

// leaving runs before nodes leave the surface: an open step's messages are
// kept as they were, and digests behind the first node are forgotten.
func (s *Session) leaving(first, _ *Message) {
	s.step.keep(s.surface.head)
	count, bytes, ok := s.digester.before(s.surface.head, first)
	if ok {
		s.history.replaced(count, bytes)
	}
	s.digester.drop(first)
}

func (s *Session) castDoubt(e *logformat.Event) { s.doubt |= doubtOf(e.Form, e.Upgraded) }

func (s *Session) inherited(seq int64) bool { return seq < s.header.SeedLength }

// Finish ends the fold and returns the prepared request of a step that was left
// open, nil when there is none.
func (s *Session) Finish() *Request { return s.closeStep(-1) }

// finishKind returns the reason kind of a finish chunk, "" of any other.
func finishKind(data ecmajson.Value) string {
	chunk := data.Lookup("chunk")
	if !chunk.Lookup("type").Is("finish") {
		return ""
	}
	kind := chunk.Lookup("reason").Lookup("kind").Text()
	if kind == "" {
		kind = "unknown"
	}
	return kind
}
