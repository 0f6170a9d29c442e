package audit

import (
	"slices"

	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/result"
	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
	"github.com/dsh-verify/dsh-verify/reconstruct"
	"github.com/dsh-verify/dsh-verify/reconstruct/transcript"
)

// An Audit checks one log while its records are folded.
type Audit struct {
	log     *result.Log
	session *reconstruct.Session
	act     *transcript.Act // that is looked at
	seed    int64           // events inherited from the parent
	events  int64

	found   []finding.Finding
	byCode  map[finding.Code]int // findings of a code so far
	hazards hazards

	turn     turn
	step     step
	lifetime lifetime
	context  ecmajson.Value // the latest request/context
	closing  closing
	rewrite  rewrite
	inbox    inbox
	identity identity
	clock    clock
}

// New returns an audit.
func New() *Audit {
	return &Audit{byCode: make(map[finding.Code]int), identity: newIdentity(), inbox: newInbox()}
}

// Begin starts the audit of a log: log is the report that gets what is found, nil for none.
func (a *Audit) Begin(log *result.Log, session *reconstruct.Session) {
	a.log, a.session, a.seed = log, session, session.Seed()
}

// Session returns the fold.
func (a *Audit) Session() *reconstruct.Session { return a.session }

// Check reads a log to its end. A log that is refused or cannot be read has no
// findings, and the error says why.
func Check(r *logformat.Reader) (*Audit, []finding.Finding, error) {
	header, err := r.Header()
	if err != nil {
		return nil, nil, err
	}
	a := New()
	a.Begin(nil, reconstruct.NewSession(header, reconstruct.Options{Observe: a.Before}))
	for q, err := range a.session.Requests(r) {
		if err != nil {
			return a, nil, err
		}
		a.Request(q)
	}
	return a, a.Findings(), nil
}

// Request notes which findings stand in a request. It has no verdict: a request was sent,
// whatever the audit says of it.
func (a *Audit) Request(q *reconstruct.Request) finding.Verdict {
	a.hazards.request(q, a.session.Surface())
	return ""
}

// After does nothing: a record was judged before it was applied.
func (a *Audit) After(*logformat.Record) {}

// Close ends the audit and reports what it found.
func (a *Audit) Close() {
	for _, f := range a.Findings() {
		a.log.Add(f)
	}
}

// Findings ends the audit and returns what it found, in the order of the log.
func (a *Audit) Findings() []finding.Finding {
	a.end()
	found := append(a.found, a.hazards.findings()...)
	slices.SortStableFunc(found, func(x, y finding.Finding) int {
		return int(min(max(x.Place.Seq-y.Place.Seq, -1), 1))
	})
	return found
}

// end judges what only the end of the log decides.
func (a *Audit) end() {
	a.settle(logEnds)
	if a.turn.open {
		f := finding.New(finding.AuditOpenTurn, finding.Say("turn %d", a.turn.number), a.turn.place)
		a.add(f)
	}
	if a.events < a.seed {
		a.add(finding.New(finding.AuditForkBoundary, finding.Say("the header says that %d events are inherited, and the log has %d", a.seed, a.events),
			finding.Place{Line: 1, Seq: -1}))
	}
}

// most is how many findings of one code are named one by one; what comes on top is
// counted in the last of them.
const most = 100

func (a *Audit) add(f finding.Finding) {
	if a.byCode[f.Code]++; a.byCode[f.Code] <= most {
		a.found = append(a.found, f)
		return
	}
	for i := len(a.found) - 1; i >= 0; i-- {
		if last := &a.found[i]; last.Code == f.Code {
			last.Count = a.byCode[f.Code] - most
			return
		}
	}
}

// report adds a finding at an event.
func (a *Audit) report(code finding.Code, e *logformat.Event, format string, args ...any) {
	a.add(finding.New(code, finding.Say(format, args...), placeOf(e)))
}

func placeOf(e *logformat.Event) finding.Place { return position(e.Pos, e.Seq) }

func position(pos logformat.Position, seq int64) finding.Place {
	return finding.Place{Line: pos.Line, Offset: pos.Offset, Frame: pos.Frame, Seq: seq}
}

// Before judges what a record says, before it is applied.
func (a *Audit) Before(act *transcript.Act) {
	a.act = act
	if act.Row != nil {
		a.row(act.Row)
		return
	}
	e := act.Event
	a.before(e)
	a.event(act)
	a.clock.tick(act.Kind, e.Time)
	a.events = e.Seq + 1
}

// before judges what an event says by being the next one.
func (a *Audit) before(e *logformat.Event) {
	a.forkBoundary(e)
	a.time(e.Time, e.Pos, e.Seq)
	a.closerFollowedBy(e)
	a.recordFollowedBy(e)
}

func (a *Audit) event(act *transcript.Act) {
	switch e := act.Event; act.Kind {
	case transcript.TurnStart:
		a.turnStart(e)
	case transcript.TurnEnd:
		a.turnEnd(e)
	case transcript.StepStart:
		a.stepStart(e)
	case transcript.StepEnd:
		a.stepEnd(e)
	case transcript.FirstByte, transcript.StreamEnd:
		a.chunk(e)
	case transcript.Message:
		a.spoken(act)
	case transcript.Snapshot:
		a.requestHeader(act)
	case transcript.Context:
		a.requestContext(e)
	case transcript.Retry:
		a.retry(act)
	case transcript.SeedEnd:
		a.endSeed(e)
	default:
		a.aside(act)
	}
}

func (a *Audit) spoken(act *transcript.Act) {
	switch e := act.Event; act.Entry.Role {
	case transcript.Assistant:
		a.assistantMessage(e)
	case transcript.Tool:
		a.toolResult(e)
	case transcript.User:
		a.userMessage(e)
	}
}

// aside judges what no request depends on, by its own words.
func (a *Audit) aside(act *transcript.Act) {
	switch e := act.Event; e.Type {
	case logformat.TypeToolCall:
		a.toolCall(e)
	case logformat.TypeTodoWrite:
		a.insideTurn(finding.AuditTodo, e)
	case logformat.TypeSessionTitle, logformat.TypeSessionTitleRequest:
		a.title(e)
	case logformat.TypeCompactionStart, logformat.TypeCompactionSummary, logformat.TypeCompactionEnd, logformat.TypeCompactionPrune:
		a.compaction(act)
	case logformat.TypeAgentInboxSpliced:
		a.spliced(e)
	}
}

// row folds a packed run of chunks without building its events.
func (a *Audit) row(row *logformat.ChunkRow) {
	first := &logformat.Event{Type: logformat.TypeAssistantChunk, Seq: row.Seq0, Time: row.Time0, Pos: row.Pos}
	a.before(first)
	if a.inStep(first, row.Turn, row.Step) {
		a.deltas(row)
	}
	last := row.Time0
	for gap := range row.Gaps.Elements() {
		ms, _ := gap.SafeInt()
		last += ms
	}
	a.clock.tick(transcript.FirstByte, last)
	a.events = row.Seq0 + int64(row.Count)
}
