package golden

import (
	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
	"github.com/dsh-verify/dsh-verify/reconstruct"
	"github.com/dsh-verify/dsh-verify/reconstruct/transcript"
)

// Record reads a log to its end and returns its sum. The error is a
// [*logformat.Refusal] of a log that cannot be trusted, or a failure to read.
func Record(r *logformat.Reader) (*Sum, error) {
	header, err := r.Header()
	if err != nil {
		return nil, err
	}
	rec := new(Recorder)
	rec.Begin(header)
	session := reconstruct.NewSession(header, reconstruct.Options{})
	for record, err := range r.Records() {
		if err != nil {
			return nil, err
		}
		q, err := session.Apply(record)
		if err != nil {
			return nil, reconstruct.Outranked(r, err)
		}
		if q != nil {
			rec.Request(q)
		}
		rec.Act(session)
	}
	if q := session.Finish(); q != nil {
		rec.Request(q)
	}
	return rec.Sum(), nil
}

// A Recorder makes a sum while someone else folds the log. The zero value is
// ready for Begin.
type Recorder struct {
	sum     *Sum
	line    int            // the last one that is taken
	numbers map[int64]int  // of messages, by event
	headers map[int64]int  // of snapshots, by event
	parts   map[string]int // of the first snapshot with these parts
}

// Begin starts the sum of a log.
func (r *Recorder) Begin(h *logformat.SessionHeader) {
	log := transcript.New(h)
	*r = Recorder{
		sum: &Sum{Session: Session{
			ID: h.ID, Format: h.Format(), Fork: log.Forked(), Parent: h.ParentSession, Seed: log.Seed(),
		}},
		line: 2, numbers: make(map[int64]int), headers: make(map[int64]int), parts: make(map[string]int),
	}
}

// Request adds a request. It must be called for each that a record completes,
// before Act is called for that record.
func (r *Recorder) Request(q *reconstruct.Request) {
	seq := q.Boundary.Dispatch
	if seq < 0 {
		seq = q.Boundary.StepStart
	}
	r.line++
	r.sum.Requests = append(r.sum.Requests, Request{
		Turn: q.Turn, Step: q.Step, Attempt: q.Attempt, Prepared: q.Prepared,
		Header: r.headers[q.Header.Seq], Config: r.headers[q.Config.Seq], Messages: q.Count(),
		Part: Part{q.Len(), q.Digest().String()}, Line: r.line, Place: Place{Seq: seq},
	})
}

// Act adds what the session's latest record put on the surface or into force.
func (r *Recorder) Act(session *reconstruct.Session) {
	act := session.Act()
	switch {
	case act.Kind == transcript.Snapshot:
		r.header(session.Epoch())
	case act.OnSurface():
		if m := session.Surface().Node(act.Event.Seq); m != nil {
			r.message(m)
		}
	}
}

// Sum returns the sum of what was recorded so far.
func (r *Recorder) Sum() *Sum { return r.sum }

func (r *Recorder) message(m *reconstruct.Message) {
	r.line++
	msg := Message{Type: m.Type, Line: r.line, Place: Place{m.Seq, m.Pos.Line}}
	if m.Bytes != nil {
		msg.Part = digestOf(m.Bytes)
	}
	if n := len(m.Shadowed); n > 0 {
		msg.First, msg.Last = r.numbers[m.Shadowed[0]], r.numbers[m.Shadowed[n-1]]
	}
	r.sum.Messages = append(r.sum.Messages, msg)
	r.numbers[m.Seq] = len(r.sum.Messages)
}

func (r *Recorder) header(epoch *reconstruct.EpochHeader) {
	r.line++
	h := Header{Reason: epoch.Reason, Parts: partsOf(epoch), Line: r.line, Place: Place{epoch.Seq, epoch.Pos.Line}}
	text := string(h.Parts.append(nil))
	number := len(r.sum.Headers) + 1
	if as := r.parts[text]; as > 0 {
		h.As, h.Parts = as, r.sum.Headers[as-1].Parts
	} else {
		r.parts[text] = number
		r.line += len(h.Parts.Config) + len(h.Parts.Tools)
		for _, p := range []Part{h.Parts.System, h.Parts.Whole} {
			if p != (Part{}) {
				r.line++
			}
		}
	}
	r.sum.Headers = append(r.sum.Headers, h)
	r.headers[epoch.Seq] = number
}

func partsOf(epoch *reconstruct.EpochHeader) (p Parts) {
	for key, value := range epoch.Config.Members() {
		p.Config = append(p.Config, fieldOf(key, value))
	}
	if epoch.System != nil {
		p.System = digestOf(epoch.System)
	}
	switch {
	case epoch.Tools == nil:
	case !namedTools(epoch.Tools):
		p.Whole = digestOf(epoch.Tools)
	default:
		for tool := range epoch.Tools.Elements() {
			p.Tools = append(p.Tools, Tool{tool.Lookup("name").Text(), digestOf(tool)})
		}
	}
	return p
}

func namedTools(tools ecmajson.Value) bool {
	if tools.Kind() != ecmajson.Array {
		return false
	}
	for tool := range tools.Elements() {
		if tool.Lookup("name").Kind() != ecmajson.String {
			return false
		}
	}
	return true
}
