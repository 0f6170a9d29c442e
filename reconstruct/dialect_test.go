package reconstruct

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"

	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
	"github.com/dsh-verify/dsh-verify/reconstruct/transcript"
)

// This file shows that another format is another dialect: one that has everything
// which format 0 has not (simpleSettlements as boundary, a protected head, messages that
// change in place, a tool history, two shapes) is made of what is here, and folded by
// the same fold.

var foreign = &Dialect{
	boundary: func(s *Session) boundary { return &simpleSettlements{session: s} },
	surface: surfaceRules{
		vanish: []transcript.Role{transcript.System, transcript.Assistant, transcript.Developer},
		refuse: refuseHead, offload: markImages,
	},
	shapes: []shape{
		{"new", []PartKind{MessagePart, ToolHistoryPart, ToolsPart, SessionIDPart}},
		{"old", []PartKind{MessagePart, ToolsPart, SessionIDPart}},
	},
	tools: func() toolHistory { return new(announced) },
}

// simpleSettlements is a boundary rule: each settlement is an attempt, of the fold of all
// that comes before it.
type simpleSettlements struct {
	session *Session
	next    attempt
}

func (b *simpleSettlements) act(a *transcript.Act) *Request {
	switch a.Kind {
	case transcript.StepStart:
		turn, step := a.Place()
		b.next = attempt{turn: turn, step: step, stepStart: a.Event.Seq}
	case transcript.Settlement:
		b.next.number++
		b.next.takenAt, b.next.last, b.next.header = a.Event.Seq, b.session.surface.tail, nil
		b.next.inherited = b.session.Inherited(a.Event.Seq)
		return b.session.sent(&b.next, a.Event.Seq)
	}
	return nil
}

func (b *simpleSettlements) leaving() {}

func (b *simpleSettlements) finish() *Request { return nil }

// refuseHead is a rule of the surface: only its own kind replaces the head.
func refuseHead(s *Surface, a *transcript.Act, span span) (logformat.Code, string) {
	if span.first != nil && span.first.Head && (len(span.seqs) > 1 || !a.Entry.Head) {
		return "replace/head", ""
	}
	if span.first == nil && a.Entry.Head && s.head != nil && !s.head.Head {
		return "surface/no-head", ""
	}
	return "", ""
}

// markImages marks the images of a message, in place.
func markImages(s *Surface, a *transcript.Act) (*Message, *logformat.Refusal) {
	seq, _ := a.Event.Data.SafeInt()
	old := s.Node(seq)
	if old == nil {
		return nil, refusalOf(a, "offload/missing", "")
	}
	m := *old
	m.Bytes = ecmajson.Value(strings.ReplaceAll(string(m.Bytes), `"image"`, `"image","offloaded":true`))
	s.splice(span{old, old, []int64{seq}}, &m)
	return &m, nil
}

// announced is a tool history: how often tools were announced.
type announced struct{ times int }

func (h *announced) fold(a *transcript.Act) {
	if a.Kind == transcript.ToolUpdate {
		h.times++
	}
}

func (h *announced) value() ecmajson.Value { return ecmajson.Value(fmt.Sprintf(`[%d]`, h.times)) }

func (h *announced) revision() int { return h.times }

// A world folds acts that are made by hand.
type world struct {
	t       *testing.T
	session *Session
	seq     int64
}

func newWorld(t *testing.T) *world {
	header := &logformat.SessionHeader{ID: "s", Version: logformat.Version0}
	return &world{t: t, session: newSession(header, foreign, Options{})}
}

// does folds an act with this data and returns its request.
func (w *world) does(kind transcript.Kind, data string, fill func(*transcript.Act)) (*Request, error) {
	w.seq++
	a := &transcript.Act{Kind: kind, Record: &logformat.Record{Event: &logformat.Event{Seq: w.seq, Data: ecmajson.Value(data)}}}
	if fill != nil {
		fill(a)
	}
	return w.session.fold(a)
}

// says puts a message on the surface and returns its number.
func (w *world) says(role transcript.Role, content string) int64 {
	w.t.Helper()
	kind := transcript.Message
	if role == transcript.Developer {
		kind = transcript.ToolUpdate
	}
	if _, err := w.does(kind, message(content), appends(role)); err != nil {
		w.t.Fatal(err)
	}
	return w.seq
}

func message(content string) string { return `{"content":[` + content + `]}` }

func appends(role transcript.Role) func(*transcript.Act) {
	return func(a *transcript.Act) {
		a.Entry = transcript.Entry{Role: role, End: len(a.Event.Data), Op: logformat.SurfaceOp{Op: logformat.OpAppend}, Head: role == transcript.System}
	}
}

func replaces(role transcript.Role, start, end int64) func(*transcript.Act) {
	return func(a *transcript.Act) {
		appends(role)(a)
		a.Entry.Op = logformat.SurfaceOp{Op: logformat.OpReplace, Start: start, End: end}
		for seq := start; seq <= end; seq++ {
			a.Event.Sources = append(a.Event.Sources, seq)
		}
	}
}

func (w *world) headed(tools string) {
	w.does(transcript.Snapshot, "{}", func(a *transcript.Act) {
		a.Header = transcript.Header{Config: ecmajson.Value(`{"model":"m"}`), Tools: ecmajson.Value(tools), Reason: ecmajson.Value(`"change"`)}
	})
}

// settles ends an attempt and returns its request, whose digests are checked.
func (w *world) settles() *Request {
	w.t.Helper()
	q, err := w.does(transcript.Settlement, "{}", nil)
	if err != nil || q == nil {
		w.t.Fatalf("no request, error %v", err)
	}
	for _, v := range q.Variants() {
		if sum := sha256.Sum256(v.Bytes()); v.Digest() != sum || v.Len() != int64(len(v.Bytes())) {
			w.t.Errorf("request %s in shape %s has another digest or length", v.Key(), v.Shape())
		}
	}
	return q
}

func (w *world) wants(q *Request, want string) {
	w.t.Helper()
	if got := string(q.Bytes()); got != want {
		w.t.Errorf("\n got %s\nwant %s", got, want)
	}
}

// TestSettlements: attempts are counted by them, and take all that comes before.
func TestSettlements(t *testing.T) {
	w := newWorld(t)
	w.does(transcript.StepStart, `{"turn":1,"step":1}`, nil)
	w.says(transcript.System, `"be brief"`)
	w.says(transcript.User, `"hi"`)
	w.headed(`["t"]`)
	w.says(transcript.User, `"late"`)
	q := w.settles()
	w.wants(q, `{"model":"m","messages":[{"content":["be brief"]},{"content":["hi"]},{"content":["late"]}],"toolHistory":[0],"tools":["t"],"sessionId":"s"}`)
	w.says(transcript.System, ``)
	if again := w.settles(); again.Key() != "1.1.2" || again.Relation.Kind != Extends || again.Count() != 3 {
		t.Errorf("%s %s, %d messages", again.Key(), again.Relation.Kind, again.Count())
	}
}

// TestToolHistory: a member changes although the header does not.
func TestToolHistory(t *testing.T) {
	w := newWorld(t)
	w.headed(`["t"]`)
	w.settles()
	w.says(transcript.Developer, ``)
	w.wants(w.settles(), `{"model":"m","messages":[],"toolHistory":[1],"tools":["t"],"sessionId":"s"}`)
}

// TestVariants are the request in each shape.
func TestVariants(t *testing.T) {
	w := newWorld(t)
	w.headed(`["t"]`)
	w.says(transcript.User, `"hi"`)
	live := w.settles()
	for _, q := range []*Request{live, live.Keep()} {
		list := q.Variants()
		if len(list) != 2 || list[0].Shape() != "new" || list[1].Shape() != "old" || list[0] != q {
			t.Fatalf("%d variants", len(list))
		}
		w.wants(list[1], `{"model":"m","messages":[{"content":["hi"]}],"tools":["t"],"sessionId":"s"}`)
	}
}

// TestOffload: requests before keep the bytes that they had, later ones have the new.
func TestOffload(t *testing.T) {
	w := newWorld(t)
	w.headed(`["t"]`)
	seen := w.says(transcript.User, `"image"`)
	w.says(transcript.User, `"more"`)
	old := w.settles().Keep()
	if _, err := w.does(transcript.Offload, fmt.Sprint(seen), nil); err != nil {
		t.Fatal(err)
	}
	q := w.settles()
	if bytes.Contains(old.Bytes(), []byte("offloaded")) || !bytes.Contains(q.Bytes(), []byte(`"image","offloaded":true`)) {
		t.Errorf("before %s\nafter %s", old.Bytes(), q.Bytes())
	}
	if r := q.Relation; r.Kind != Replaced || r.KeptMessages != 0 || len(r.Replaces) != 1 || r.Replaces[0].Seq != seen {
		t.Errorf("relation %+v", r)
	}
	if got := w.session.Surface().Seqs(); len(got) != 2 || got[0] != seen {
		t.Errorf("the surface is %v", got)
	}
	if _, err := w.does(transcript.Offload, "99", nil); err == nil {
		t.Error("an offload of a message that is not there is accepted")
	}
}

// TestHead: only its own kind replaces the head, and it stays the head.
func TestHead(t *testing.T) {
	w := newWorld(t)
	head := w.says(transcript.System, `"be brief"`)
	user := w.says(transcript.User, `"hi"`)
	for _, c := range []struct {
		name string
		role transcript.Role
		end  int64
	}{{"a user message over the head", transcript.User, head}, {"a system message over more", transcript.System, user}} {
		if _, err := w.does(transcript.Message, message(`"x"`), replaces(c.role, head, c.end)); err == nil {
			t.Errorf("%s is accepted", c.name)
		}
	}
	if _, err := w.does(transcript.Message, message(`"be long"`), replaces(transcript.System, head, head)); err != nil {
		t.Fatal(err)
	}
	if m := w.session.Surface().First(); !m.Head || m.Seq != w.seq {
		t.Errorf("the head is %+v", m)
	}
	late := newWorld(t)
	late.says(transcript.User, `"hi"`)
	if _, err := late.does(transcript.Message, message(`"be brief"`), appends(transcript.System)); err == nil {
		t.Error("a head after a message is accepted")
	}
}

// TestEveryFormatHasADialect: no log is read whose requests cannot be made.
func TestEveryFormatHasADialect(t *testing.T) {
	for _, v := range logformat.Versions() {
		if d := dialects[v]; d == nil || d.boundary == nil || len(d.shapes) == 0 {
			t.Errorf("%s has %+v", v.Releases, d)
		}
	}
}
