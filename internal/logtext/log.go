package logtext

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/dsh-verify/dsh-verify/logformat"
)

// A Log is what a notation stands for.
type Log struct {
	Text []byte           // the log's lines
	Seq  map[string]int64 // event numbers by name
}

// New writes the log of a notation. A mistake in the notation ends the test.
func New(t testing.TB, notation string) *Log {
	t.Helper()
	w := &writer{seq: make(map[string]int64)}
	for number, line := range strings.Split(notation, "\n") {
		if err := w.line(split(line)); err != "" {
			t.Fatalf("line %d of the notation, %q: %s", number+1, strings.TrimSpace(line), err)
		}
	}
	w.begin(nil)
	return &Log{w.text.Bytes(), w.seq}
}

// Reader returns a reader of the log.
func (l *Log) Reader() *logformat.Reader {
	return logformat.NewReader(bytes.NewReader(l.Text), logformat.Options{})
}

// Records reads the log to its end. The records stay valid.
func (l *Log) Records(t testing.TB) (*logformat.SessionHeader, []*logformat.Record) {
	t.Helper()
	r := l.Reader()
	header, err := r.Header()
	if err != nil {
		t.Fatal(err)
	}
	var list []*logformat.Record
	for rec, err := range r.Records() {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, keep(rec))
	}
	return header, list
}

func keep(rec *logformat.Record) *logformat.Record {
	if rec.Event != nil {
		return &logformat.Record{Event: rec.Event.Clone()}
	}
	row := *rec.Row
	for _, v := range []*[]byte{
		(*[]byte)(&row.Turn), (*[]byte)(&row.Step), (*[]byte)(&row.Index), (*[]byte)(&row.ID),
		(*[]byte)(&row.Name), (*[]byte)(&row.Gaps), (*[]byte)(&row.Deltas),
	} {
		*v = bytes.Clone(*v)
	}
	return &logformat.Record{Row: &row}
}

// A writer writes a log line by line.
type writer struct {
	text       bytes.Buffer
	seq        map[string]int64
	next       int64   // event number
	messages   []int64 // event numbers of messages
	turn, step int64
	begun      bool
}

// line writes one line of the notation; what is returned is what is wrong with it.
func (w *writer) line(ws words) (wrong fault) {
	defer func() {
		switch err := recover().(type) {
		case nil:
		case fault:
			wrong = err
		default:
			panic(err)
		}
	}()
	if len(ws) == 0 {
		return ""
	}
	if ws.accept("log") {
		w.begin(ws)
		return ""
	}
	w.begin(nil)
	if name, ok := strings.CutSuffix(ws[0], ":"); ok {
		w.seq[name] = w.next
		ws.take()
	}
	kind := ws.need("a kind")
	write, ok := kinds[kind]
	if !ok {
		return faultf("%s is no kind of line", kind)
	}
	write(w, &ws)
	if len(ws) > 0 {
		return faultf("nothing is known of %q", ws[0])
	}
	return ""
}

// begin writes the header line, once.
func (w *writer) begin(ws words) {
	if w.begun {
		if ws != nil {
			panic(fault("the header line comes first"))
		}
		return
	}
	w.begun = true
	id := ws.setting("id", `"s"`)
	fmt.Fprintf(&w.text, `{"type":"session","version":0,"id":%s,"createdAt":1000`, id)
	for _, member := range []struct{ setting, key string }{{"cwd", "cwd"}, {"parent", "parentSession"}, {"seed", "seedLength"}, {"origin", "origin"}} {
		if value := ws.setting(member.setting, ""); value != "" {
			fmt.Fprintf(&w.text, `,%q:%s`, member.key, value)
		}
	}
	fmt.Fprintf(&w.text, `,"delegationDepth":%s}`+"\n", ws.setting("depth", "0"))
	if len(ws) > 0 {
		panic(faultf("nothing is known of %q", ws[0]))
	}
}

// event writes a log-only event.
func (w *writer) event(eventType, data string) { w.put(eventType, data, "") }

// put writes an event; tail is what follows its data.
func (w *writer) put(eventType, data, tail string) {
	fmt.Fprintf(&w.text, `{"type":%q,"seq":%d,"time":%d,"data":%s%s}`+"\n", eventType, w.next, w.time(), data, tail)
	w.next++
}

func (w *writer) time() int64 { return 2000 + w.next }

// where is the turn and step that events name.
func (w *writer) where() string { return fmt.Sprintf(`"turn":%d,"step":%d`, w.turn, w.step) }

// ref returns the event number that a name stands for.
func (w *writer) ref(name string) int64 {
	seq, ok := w.seq[name]
	if !ok {
		panic(faultf("no line before has the name %q", name))
	}
	return seq
}

// span returns the event numbers of NAME or NAME..NAME.
func (w *writer) span(s string) (start, end int64) {
	first, last, ok := strings.Cut(s, "..")
	if !ok {
		last = first
	}
	return w.ref(first), w.ref(last)
}

// between lists the messages between two event numbers, both included.
func (w *writer) between(start, end int64) (seqs []int64) {
	for _, seq := range w.messages {
		if seq >= min(start, end) && seq <= max(start, end) {
			seqs = append(seqs, seq)
		}
	}
	return seqs
}

func list(seqs []int64) string {
	return strings.ReplaceAll(fmt.Sprint(seqs), " ", ",")
}
