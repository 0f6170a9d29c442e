package logformat_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/dsh-verify/dsh-verify/logformat"
)

const fixtures = "../fixtures"

func fixture(tb testing.TB, name string) []byte {
	tb.Helper()
	for _, file := range []string{"session.jsonl", "session.jsonl.zstd"} {
		if data, err := os.ReadFile(filepath.Join(fixtures, name, file)); err == nil {
			return data
		}
	}
	tb.Fatalf("%s holds no log", name)
	return nil
}

func logNames(tb testing.TB) (names []string) {
	tb.Helper()
	for _, pattern := range []string{"*/session.jsonl*", "*/children/*/session.jsonl*"} {
		files, _ := filepath.Glob(filepath.Join(fixtures, pattern))
		for _, file := range files {
			name, _ := filepath.Rel(fixtures, filepath.Dir(file))
			names = append(names, name)
		}
	}
	if len(names) < 80 {
		tb.Fatalf("only %d logs", len(names))
	}
	return names
}

// transcript reads a log and writes down all that it gave.
func transcript(src io.Reader) string {
	var b strings.Builder
	r := logformat.NewReader(src, logformat.Options{})
	for e, err := range r.Events() {
		if err != nil {
			fmt.Fprintf(&b, "error %v\n", err)
			break
		}
		fmt.Fprintf(&b, "%d %s %d %+v %v %s %+v\n", e.Seq, e.Type, e.Time, e.Surface, e.Sources, e.Data, e.Pos)
	}
	if tail := r.Tail(); tail != nil {
		fmt.Fprintf(&b, "tail %+v\n", tail.Pos)
	}
	return b.String()
}

// TestOneByteReader checks that how the input arrives changes nothing.
func TestOneByteReader(t *testing.T) {
	for _, name := range logNames(t) {
		data := fixture(t, name)
		if len(data) > 60_000 {
			continue
		}
		want := transcript(bytes.NewReader(data))
		if got := transcript(iotest.OneByteReader(bytes.NewReader(data))); got != want {
			t.Errorf("%s: read byte by byte it gives\n%s\nat once\n%s", name, got, want)
		}
		if got := transcript(iotest.DataErrReader(bytes.NewReader(data))); got != want {
			t.Errorf("%s: with the end in the last read it differs", name)
		}
	}
}

// TestFailedReaderStaysFailed checks that an error of the input is no verdict.
func TestFailedReaderStaysFailed(t *testing.T) {
	broken := errors.New("the disk is on fire")
	data := fixture(t, "text-one-turn")
	r := logformat.NewReader(io.MultiReader(bytes.NewReader(data[:2000]), iotest.ErrReader(broken)), logformat.Options{})
	var last error
	for _, err := range r.Records() {
		last = err
	}
	if !errors.Is(last, broken) {
		t.Errorf("%v, want the input's error", last)
	}
	if _, err := r.Next(); !errors.Is(err, broken) {
		t.Errorf("asked again: %v", err)
	}
}

// TestRowsExpand compares a packed row with the events that it stands for
// (section 3 of the format).
func TestRowsExpand(t *testing.T) {
	header := `{"type":"session","version":0,"id":"s","createdAt":0,"delegationDepth":0}` + "\n"
	packed := header +
		`{"type":"text-chunks","seq0":0,"time0":10,"data":{"turn":1,"step":2,"index":0,"dt":[1,-2],"texts":["a","","c"]}}` + "\n" +
		`{"type":"tool-call-chunks","seq0":3,"time0":20,"data":{"turn":1,"step":2,"index":1,"dt":[],"id":"x","name":"n","args":["{"]}}` + "\n" +
		` {"type":"reasoning-chunks","seq0":4,"time0":30,"data":{"texts":["r","s"],"dt":[0],"index":1.5,"step":2,"turn":1}}` + "\n" +
		`{"type":"tool-call-chunks","seq0":6,"time0":40,"data":{"turn":1,"step":2,"index":1,"dt":[],"id":"y","args":["}"]}}` + "\n"
	want := []string{
		`0 10 {"turn":1,"step":2,"chunk":{"type":"text-delta","index":0,"text":"a"}}`,
		`1 11 {"turn":1,"step":2,"chunk":{"type":"text-delta","index":0,"text":""}}`,
		`2 9 {"turn":1,"step":2,"chunk":{"type":"text-delta","index":0,"text":"c"}}`,
		`3 20 {"turn":1,"step":2,"chunk":{"type":"tool-call-delta","index":1,"id":"x","name":"n","argumentsDelta":"{"}}`,
		`4 30 {"turn":1,"step":2,"chunk":{"type":"reasoning-delta","index":1.5,"text":"r"}}`,
		`5 30 {"turn":1,"step":2,"chunk":{"type":"reasoning-delta","index":1.5,"text":"s"}}`,
		`6 40 {"turn":1,"step":2,"chunk":{"type":"tool-call-delta","index":1,"id":"y","argumentsDelta":"}"}}`,
	}
	var got []string
	for e, err := range logformat.NewReader(strings.NewReader(packed), logformat.Options{}).Events() {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprintf("%d %d %s", e.Seq, e.Time, e.Data))
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestFastWay checks that the one-pass way through chunk lines and the general
// way agree: a space in front of a line keeps it from the former.
func TestFastWay(t *testing.T) {
	for _, name := range logNames(t) {
		data := fixture(t, name)
		if bytes.HasPrefix(data, []byte{0x28, 0xB5, 0x2F, 0xFD}) || len(data) > 60_000 {
			continue
		}
		lines := bytes.SplitAfter(data, []byte("\n"))
		slow := slices.Concat(lines[0], []byte(nil))
		for _, line := range lines[1:] {
			if bytes.HasPrefix(line, []byte(`{"type":"assistant/chunk"`)) || bytes.Contains(line[:min(30, len(line))], []byte(`-chunks"`)) {
				slow = append(slow, ' ')
			}
			slow = append(slow, line...)
		}
		want, got := events(slow), events(data)
		if got != want {
			t.Errorf("%s: one pass gives\n%s\nthe general way\n%s", name, got, want)
		}
	}
}

func events(log []byte) string {
	var b strings.Builder
	for e, err := range logformat.NewReader(bytes.NewReader(log), logformat.Options{}).Events() {
		if err != nil {
			fmt.Fprintf(&b, "%v\n", err)
			break
		}
		fmt.Fprintf(&b, "%d %s %d %s\n", e.Seq, e.Type, e.Time, e.Data)
	}
	return b.String()
}

// TestUpgrades compares the shapes of upgraded events with what the harness's
// own loader made of the same log.
func TestUpgrades(t *testing.T) {
	want := map[int64]string{
		0: `{"turn":1}`,
		2: `{"content":[{"type":"text","text":"an old question"}],"source":{"kind":"user"},"id":"legacy-message:ses-base-01:2","role":"user"}`,
		5: `{"turn":1,"step":1,"usage":{"inputTokens":1,"outputTokens":2},"message":{"id":"legacy-message:ses-base-01:5","role":"assistant","content":[{"type":"text","text":"an old answer"},{"type":"tool-call","id":"o1","name":"dig","arguments":"{}"}],"source":{"provider":"deepseek-official","model":"m-old","replayState":{"a":1},"kind":"model"}}}`,
		7: `{"turn":1,"step":1,"meta":{"k":1},"message":{"id":"legacy-message:ses-base-01:7","role":"user","content":[{"type":"tool-result","toolCallId":"o1","content":[{"type":"text","text":"dug a hole"}],"isError":false}],"source":{"kind":"tool","callId":"o1"}}}`,
		9: `{"content":[{"type":"text","text":"old steering"}],"source":{"kind":"user"},"id":"legacy-message:ses-base-01:9","role":"user"}`,
		// A replacement inherits the id of what it replaces.
		11: `{"turn":1,"step":1,"meta":{"k":1},"message":{"id":"legacy-message:ses-base-01:7","role":"user","content":[{"type":"tool-result","toolCallId":"o1","content":[{"type":"text","text":"a hole"}],"isError":false}],"source":{"kind":"tool","callId":"o1"}}}`,
		14: `{"turn":1,"reason":{"kind":"aborted","reason":{"kind":"disposed"}}}`,
		16: `{"turn":2,"reason":{"kind":"error","error":{"message":"boom","code":"UNKNOWN"}}}`,
		18: `{"turn":3,"reason":{"kind":"aborted","reason":{"kind":"legacy"}}}`,
	}
	upgraded := 0
	r := logformat.NewReader(bytes.NewReader(fixture(t, "accept-legacy-pre-identity")), logformat.Options{})
	for e, err := range r.Events() {
		if err != nil {
			t.Fatal(err)
		}
		if e.Upgraded == "" {
			continue
		}
		upgraded++
		if w, ok := want[e.Seq]; ok && string(e.Data) != w {
			t.Errorf("seq %d:\n got %s\nwant %s", e.Seq, e.Data, w)
		}
	}
	if upgraded < len(want) || r.Stats().Upgraded != int64(upgraded) {
		t.Errorf("%d events upgraded", upgraded)
	}
}

// TestLongLine checks that a line of 20 MB is a line like any other.
func TestLongLine(t *testing.T) {
	text := strings.Repeat("0123456789", 2<<20)
	log := `{"type":"session","version":0,"id":"s","createdAt":0,"delegationDepth":0}` + "\n" +
		`{"type":"user/message","seq":0,"time":0,"data":{"content":[{"type":"text","text":"` + text + `"}],"source":{"kind":"user"},"role":"user","id":"m"},"surfaceOp":"append"}` + "\n"
	for e, err := range logformat.NewReader(strings.NewReader(log), logformat.Options{}).Events() {
		if err != nil {
			t.Fatal(err)
		}
		if len(e.Data) < len(text) {
			t.Errorf("%d bytes of data", len(e.Data))
		}
	}
}

func TestMaxSize(t *testing.T) {
	r := logformat.NewReader(bytes.NewReader(fixture(t, "text-multi-turn-packed-zstd")), logformat.Options{MaxSize: 2000})
	var refusal *logformat.Refusal
	for _, err := range r.Records() {
		errors.As(err, &refusal)
	}
	if refusal == nil || refusal.Code != logformat.CodeSizeLimit {
		t.Errorf("%v", refusal)
	}
}

func TestKnownTypes(t *testing.T) {
	r := logformat.NewReader(bytes.NewReader(fixture(t, "reject-unknown-required-type")), logformat.Options{KnownTypes: []string{"lab/novelty"}})
	for _, err := range r.Records() {
		if err != nil {
			t.Fatal(err)
		}
	}
	if r.Stats().Admitted != 1 {
		t.Errorf("%d events admitted", r.Stats().Admitted)
	}
}

func TestPaths(t *testing.T) {
	for _, c := range []struct{ id, cwd, want string }{
		{"ses-lamp-01", "/home/ada/project", "--home-ada-project--/ses-lamp-01"},
		{".", "/", "--root--/~002E"},
		{"..", `C:\Users\ada`, "--C-Users-ada--/~002E~002E"},
		{"a/b~c é", "/x y/é", "--x~0020y-~00E9--/a~002Fb~007Ec~0020~00E9"},
		{"😀", "//", "--root--/~D83D~DE00"},
		{"\xed\xa0\xbd", "/" + strings.Repeat("d", 300), "--" + strings.Repeat("d", 251) + "--/~D83D"},
	} {
		h := logformat.SessionHeader{ID: c.id, Cwd: c.cwd, HasCwd: true}
		if got := h.StorePath(); got != c.want {
			t.Errorf("%q in %q: %s, want %s", c.id, c.cwd, got, c.want)
		}
	}
	h := logformat.SessionHeader{ID: "x"}
	if got := h.StorePath(); got != "_no-cwd/x" {
		t.Error(got)
	}
}

// TestEveryCodeIsDescribed checks that each refusal says what it means and what
// to do, in a clause.
func TestEveryCodeIsDescribed(t *testing.T) {
	seen := map[logformat.Code]bool{}
	for _, info := range logformat.Codes() {
		if seen[info.Code] || info.Meaning == "" || info.Action == "" || info.Class == "" || strings.HasSuffix(info.Meaning, ".") {
			t.Errorf("%+v", info)
		}
		seen[info.Code] = true
	}
}

func ExampleReader_Events() {
	log := `{"type":"session","version":0,"id":"ses-1","createdAt":0,"delegationDepth":0}
{"type":"turn/start","seq":0,"time":1,"data":{"turn":1}}
{"type":"text-chunks","seq0":1,"time0":2,"data":{"turn":1,"step":1,"index":0,"dt":[3],"texts":["Good ","morning"]}}
{"type":"turn/end","seq":3`
	r := logformat.NewReader(strings.NewReader(log), logformat.Options{})
	for event, err := range r.Events() {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(event.Seq, event.Type, string(event.Data))
	}
	fmt.Println("torn at line", r.Tail().Pos.Line)
	// Output:
	// 0 turn/start {"turn":1}
	// 1 assistant/chunk {"turn":1,"step":1,"chunk":{"type":"text-delta","index":0,"text":"Good "}}
	// 2 assistant/chunk {"turn":1,"step":1,"chunk":{"type":"text-delta","index":0,"text":"morning"}}
	// torn at line 4
}
