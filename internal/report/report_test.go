package report_test

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/dsh-verify/dsh-verify/internal/check"
	"github.com/dsh-verify/dsh-verify/internal/loggen"
	"github.com/dsh-verify/dsh-verify/internal/redact"
	"github.com/dsh-verify/dsh-verify/internal/report"
	"github.com/dsh-verify/dsh-verify/internal/requestlog"
	"github.com/dsh-verify/dsh-verify/internal/source"
	"github.com/dsh-verify/dsh-verify/internal/verify"
	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
	"github.com/dsh-verify/dsh-verify/objectstore"
)

const fixtures = "../../fixtures"

var update = flag.Bool("update", false, "write testdata/hostile.jsonl")

// page reports on one log.
func page(t *testing.T, open func() (*logformat.Reader, io.Closer, error), recorded, objects string, redactor *redact.Redactor) string {
	t.Helper()
	var opts check.Options
	source := report.Source{Open: open, Recording: recorded, Redactor: redactor}
	if recorded != "" {
		file, err := requestlog.Open(recorded)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		opts.Recording = file
	}
	if objects != "" {
		store, err := objectstore.OpenFolder(objects)
		if err != nil {
			t.Fatal(err)
		}
		opts.Objects = objectstore.NewVerifier(store)
		source.Objects = opts.Objects
	}
	reader, closer, err := open()
	if err != nil {
		t.Fatal(err)
	}
	defer closer.Close()
	p := &report.Page{Redacted: redactor != nil}
	p.Add(report.Collect(1, verify.Run("session.jsonl", reader, opts.Checks()...), source))
	var out bytes.Buffer
	if _, err := p.WriteTo(&out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func recorded(t *testing.T, name string) func() (*logformat.Reader, io.Closer, error) {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(fixtures, name, "session.jsonl*"))
	if err != nil || len(found) != 1 {
		t.Fatalf("%s: %v %v", name, found, err)
	}
	return func() (*logformat.Reader, io.Closer, error) { return source.File(found[0]).Open(logformat.Options{}) }
}

func text(log []byte) func() (*logformat.Reader, io.Closer, error) {
	return func() (*logformat.Reader, io.Closer, error) {
		return logformat.NewReader(bytes.NewReader(log), logformat.Options{}), io.NopCloser(nil), nil
	}
}

// TestRecorded holds what the page of each kind of session must show, and that
// it is the same page twice and asks nothing of a network.
func TestRecorded(t *testing.T) {
	for _, c := range []struct {
		name, recorded, objects string
		shows                   []string
	}{
		{"compaction-pressure", "compaction-pressure/requests.jsonl", "", []string{
			"14 requests that it shows are, byte for byte, those that were recorded", `id="s1-r-4.2.1"`,
			"<b>compaction</b> put", "13 events, seq 4 to 90 in surface order", `id="s1-m104"`,
			"by dsh-verify from the log and recordings of requests.",
		}},
		{"image-inline-small", "image-inline-small/requests.jsonl", "image-inline-small/attachments/v1", []string{
			`src="data:image/png;base64,`, "pebble.png", "24 × 16 pixels, 110 B",
			"from the log, recordings of requests and stored attachments.",
		}},
		{"tools-sequential", "drift/edited-message.jsonl", "", []string{
			"5 of 6 requests are not what was recorded", "messages[2].content[0].content[0].text", "<mark>3</mark>", "<mark>2</mark>",
		}},
		{"resume-same-and-drift", "", "", []string{"from the log alone.", "There was no recording to compare with", "config.model", `class="diff"`}},
		{"text-multi-turn-packed-zstd", "", "", []string{"128 read from the cache", `<polyline class="reported"`}},
		{"retry-attempts", "", "", []string{"repeats it (retry)", "Ended with"}},
		{"reject-header-delta", "", "", []string{"cannot be trusted", "legacy/header-delta"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			join := func(path string) string {
				if path == "" {
					return ""
				}
				return filepath.Join(fixtures, path)
			}
			got := page(t, recorded(t, c.name), join(c.recorded), join(c.objects), nil)
			for _, want := range c.shows {
				if !strings.Contains(got, want) {
					t.Errorf("the page does not show %q", want)
				}
			}
			if again := page(t, recorded(t, c.name), join(c.recorded), join(c.objects), nil); again != got {
				t.Error("two runs give two pages")
			}
			checkPage(t, got)
		})
	}
}

var (
	idAttribute   = regexp.MustCompile(`\sid="([^"]*)"`)
	fragment      = regexp.MustCompile(`\shref="#([^"]*)"`)
	loaded        = regexp.MustCompile(`\s(?:src|href|action|data|poster)="([^"]*)"`)
	inlineHandler = regexp.MustCompile(`<[a-z][^>]*\s(?:on[a-z]+|style)\s*=`)
)

// checkPage checks that ids are unique, that links lead somewhere on the page, and
// that nothing is loaded or run but what the page was made with.
func checkPage(t *testing.T, page string) {
	t.Helper()
	ids := make(map[string]bool)
	for _, m := range idAttribute.FindAllStringSubmatch(page, -1) {
		if ids[m[1]] {
			t.Errorf("the id %q is there twice", m[1])
		}
		ids[m[1]] = true
	}
	for _, m := range fragment.FindAllStringSubmatch(page, -1) {
		if !ids[m[1]] {
			t.Errorf("a link leads to %q, which is not there", m[1])
		}
	}
	for _, m := range loaded.FindAllStringSubmatch(page, -1) {
		if !strings.HasPrefix(m[1], "#") && !strings.HasPrefix(m[1], "data:image/png;base64,") {
			t.Errorf("the page refers to %q", m[1])
		}
	}
	if m := inlineHandler.FindString(page); m != "" {
		t.Errorf("a handler or a style in %q", m)
	}
	if n := strings.Count(page, "<script"); n != 1 {
		t.Errorf("%d scripts", n)
	}
}

// hostile is text that would be markup, script or a trick on the eye where it
// is not escaped.
var hostile = []string{
	`</pre></script><script>document.title='owned'</script>`, `"><img src=x onerror=alert(1)>`, `' onmouseover='alert(1)`,
	`javascript:alert(1)`, `<svg onload=alert(1)>`, `</style><style>*{display:none}`, `{{.Title}}`, `<!--`, `]]>`,
	"\u202e\u2066evil\u200b", "\x1b[2J", "\u0000", "\u05d0\u05d1", strings.Repeat("W", 20_000),
}

// TestHostile checks that what a log says never becomes markup.
func TestHostile(t *testing.T) {
	const path = "testdata/hostile.jsonl" // the browser's test opens it too
	log := hostileLog()
	if *update {
		if err := os.WriteFile(path, log, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if kept, err := os.ReadFile(path); err != nil || !bytes.Equal(kept, log) {
		t.Fatalf("%s is not the log of this test (%v); -update writes it", path, err)
	}
	got := page(t, text(log), "", "", nil)
	checkPage(t, got)
	for _, bad := range []string{"<img src=x", "<svg onload", "<script>document", "</style><style>", "\u202e", "\u200b", "\x1b", "\x00"} {
		if strings.Contains(got, bad) {
			t.Errorf("the page holds %q as it is", bad)
		}
	}
	for _, want := range []string{"&lt;script&gt;document.title", `\u{202e}`, "\u05d0\u05d1", "javascript:alert(1)", `id="s1-r-1.1.1"`, "&lt;svg onload=alert(1)&gt;"} {
		if !strings.Contains(got, want) {
			t.Errorf("the page does not show %q", want)
		}
	}
	if len(got) > 2_000_000 {
		t.Errorf("%d bytes", len(got))
	}
}

// hostileLog puts the hostile texts wherever a log has room for a text.
func hostileLog() []byte {
	all := strings.Join(hostile[:13], " ")
	q := func(s string) string { return string(ecmajson.AppendString(nil, s)) }
	var b strings.Builder
	fmt.Fprintf(&b, `{"type":"session","version":0,"id":%s,"createdAt":1,"cwd":%s,"delegationDepth":0}`+"\n", q("s"+all), q("/"+all))
	seq := 0
	event := func(kind, data, more string) {
		fmt.Fprintf(&b, `{"type":%q,"seq":%d,"time":%d,"data":%s%s}`+"\n", kind, seq, 1700000000000+seq, data, more)
		seq++
	}
	event("turn/start", `{"turn":1}`, "")
	event("step/start", `{"turn":1,"step":1}`, "")
	var content []string
	for _, s := range hostile {
		content = append(content, fmt.Sprintf(`{"type":"text","text":%s}`, q(s)), fmt.Sprintf(`{"type":%s,"text":%s}`, q(s), q(s)))
	}
	event("user/message", fmt.Sprintf(`{"content":[%s],"source":{"kind":"user"},"role":"user","id":"m1"}`, strings.Join(content, ",")), `,"surfaceOp":"append"`)
	event("request/header", fmt.Sprintf(`{"header":{"config":{"provider":%s,"model":%s,%s:%s},"system":%s,"tools":[{"name":%s,"description":%s,"parameters":{%s:1}}]},"reason":"initial"}`,
		q(all), q(all), q(all), q(all), q(all), q(all), q(all), q(all)), "")
	event("assistant/message", fmt.Sprintf(`{"turn":1,"step":1,"message":{"role":"assistant","content":[{"type":"reasoning","text":%s},{"type":"tool-call","id":%s,"name":%s,"arguments":%s}],"source":{"kind":"model","provider":%s,"model":%s},"id":"m2"},"usage":{"inputTokens":1,"outputTokens":1}}`,
		q(all), q(all), q(all), q(all), q(all), q(all)), `,"sourceEventSeqs":[],"surfaceOp":"append"`)
	event("step/end", `{"turn":1,"step":1}`, "")
	event("turn/end", `{"turn":1,"reason":{"kind":"completed"}}`, "")
	return []byte(b.String())
}

// TestSize holds the page of a long session under two megabytes, and that a
// longer one is summed up.
func TestSize(t *testing.T) {
	for _, c := range []struct {
		requests int
		shows    string
	}{{300, "texts are cut at"}, {1200, "are listed as runs"}} {
		var log bytes.Buffer
		if err := loggen.Write(&log, loggen.Options{Requests: c.requests, ResultBytes: 3000, Tools: 12, CompactEvery: 90}); err != nil {
			t.Fatal(err)
		}
		got := page(t, text(log.Bytes()), "", "", nil)
		if len(got) > 2_000_000 {
			t.Errorf("%d requests: %d bytes", c.requests, len(got))
		}
		if !strings.Contains(got, c.shows) {
			t.Errorf("%d requests: the page does not say %q", c.requests, c.shows)
		}
		checkPage(t, got)
	}
}

// TestRedacted checks that no text of the log is left on a redacted page.
func TestRedacted(t *testing.T) {
	got := page(t, recorded(t, "tools-sequential"), filepath.Join(fixtures, "drift/edited-message.jsonl"), "", redact.New([]byte("key")))
	for _, bad := range []string{"pier gull", "tide_table", "/home/ada", "Let me check", "03:12"} {
		if strings.Contains(got, bad) {
			t.Errorf("the page still says %q", bad)
		}
	}
	if !strings.Contains(got, "‹") {
		t.Error("nothing stands for what was redacted")
	}
	image := page(t, recorded(t, "image-inline-small"), "", filepath.Join(fixtures, "image-inline-small/attachments/v1"), redact.New(nil))
	if strings.Contains(image, "data:image") || strings.Contains(image, "pebble.png") {
		t.Error("the page shows an image or its name")
	}
}
