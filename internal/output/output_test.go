package output_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/dsh-verify/dsh-verify/internal/check"
	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/output"
	"github.com/dsh-verify/dsh-verify/internal/requestlog"
	"github.com/dsh-verify/dsh-verify/internal/result"
	"github.com/dsh-verify/dsh-verify/internal/verify"
	"github.com/dsh-verify/dsh-verify/logformat"
)

var update = flag.Bool("update", false, "write what renderers print into testdata")

// TestGolden renders one report in every format: logs that verify, drift, are
// refused, cannot be read and cannot be verified, and one that is hostile.
func TestGolden(t *testing.T) {
	report := fixtureReport(t)
	for _, format := range output.Formats() {
		t.Run(format, func(t *testing.T) {
			golden(t, "report."+format, render(t, format, report, output.Options{}))
		})
	}
	t.Run("quiet", func(t *testing.T) {
		golden(t, "report-quiet.text", render(t, "text", report, output.Options{Quiet: true}))
	})
}

// TestNothing checks that a report without logs is whole in every format.
func TestNothing(t *testing.T) {
	for _, format := range output.Formats() {
		got := render(t, format, &result.Report{SchemaVersion: 1, Logs: []*result.Log{}}, output.Options{})
		if len(got) == 0 {
			t.Errorf("%s: nothing was written", format)
		}
	}
}

// TestVisible checks that no format for people passes a control character or a
// bidi override on, and none passes markup on.
func TestVisible(t *testing.T) {
	for _, format := range output.Formats() {
		got := render(t, format, newReport(hostile()), output.Options{})
		switch format {
		case "json", "ndjson":
			continue // the texts as they are, in JSON's escapes
		case "markdown":
			if tag := regexp.MustCompile(`</?(script|b)>`).FindString(withoutCode(string(got))); tag != "" {
				t.Errorf("markdown: %s goes through as markup", tag)
			}
		}
		for _, bad := range []string{"\x1b", "\u202e", "\x00", "\u200b"} {
			if bytes.Contains(got, []byte(bad)) {
				t.Errorf("%s: %+q goes through", format, bad)
			}
		}
	}
}

// withoutCode drops what Markdown takes as code: fenced blocks, and spans between
// runs of backticks of one length.
func withoutCode(s string) string {
	var b strings.Builder
	for s != "" {
		at := strings.IndexByte(s, '`')
		if at < 0 {
			return b.String() + s
		}
		if at > 0 && s[at-1] == '\\' {
			b.WriteString(s[:at+1])
			s = s[at+1:]
			continue
		}
		rest := strings.TrimLeft(s[at:], "`")
		rail := s[at : len(s)-len(rest)]
		_, after, closed := strings.Cut(rest, rail)
		if !closed {
			after = rest
		}
		b.WriteString(s[:at])
		s = after
	}
	return b.String()
}

func TestUnknownFormat(t *testing.T) {
	if _, err := output.New("yaml", nil, output.Options{}); err == nil || !strings.Contains(err.Error(), "junit") {
		t.Errorf("%v: it should name the formats", err)
	}
}

func render(t *testing.T, format string, report *result.Report, opts output.Options) []byte {
	t.Helper()
	var b bytes.Buffer
	r, err := output.New(format, &b, opts)
	if err != nil {
		t.Fatal(err)
	}
	for _, log := range report.Logs {
		r.Log(log)
	}
	if err := r.Close(report); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs from what is printed; with -update it is written:\n%s", path, got)
	}
}

// fixtureReport is the report on some recorded sessions, named as from the
// repository's root.
func fixtureReport(t *testing.T) *result.Report {
	t.Helper()
	logs := []*result.Log{
		checked(t, "fixtures/tools-parallel/session.jsonl", "fixtures/tools-parallel/requests.jsonl"),
		checked(t, "fixtures/tools-sequential/session.jsonl", "fixtures/drift/edited-message.jsonl"),
		checked(t, "fixtures/tools-sequential/session.jsonl", "fixtures/drift/dropped.jsonl"),
		checked(t, "fixtures/reject-seq-gap-committed/session.jsonl", ""),
		checked(t, "fixtures/image-inline-small/session.jsonl", ""),
		checked(t, "fixtures/accept-torn-garbage/session.jsonl", ""),
		result.Unreadable("nowhere.jsonl", "no such file or directory"),
		hostile(),
	}
	return newReport(logs...)
}

func newReport(logs ...*result.Log) *result.Report {
	report := &result.Report{SchemaVersion: result.SchemaVersion}
	for _, log := range logs {
		report.Add(log)
	}
	return report
}

func checked(t *testing.T, log, recorded string) *result.Log {
	t.Helper()
	const root = "../../"
	f, err := os.Open(root + log)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var opts check.Options
	if recorded != "" {
		if opts.Recording, err = requestlog.Open(root + recorded); err != nil {
			t.Fatal(err)
		}
		defer opts.Recording.Close()
		opts.Recording.Path = recorded
	}
	return verify.Run(log, logformat.NewReader(f, logformat.Options{}), opts.Checks()...)
}

// hostile is a report whose every text tries to be something else than text.
func hostile() *result.Log {
	bad := "<script>|`x`]]>&amp;\x1b[31m\u202e\u200b\x00 @all [a](javascript:1)\n# {0}"
	log := &result.Log{
		File: "logs/" + bad + ".jsonl", Verdict: finding.Drift,
		Session:  result.Session{ID: bad},
		Requests: []result.Request{{Ordinal: 1, Turn: 1, Step: 1, Attempt: 1, Model: bad, SHA256: strings.Repeat("0", 64), Relation: bad, Verdict: finding.Drift}},
	}
	log.Counts.Requests, log.Counts.Drifted = 1, 1
	f := finding.New(finding.RecordingDrift, finding.Plain(bad), finding.Place{Seq: 7, Line: 9, Request: "1.1.1", Pointer: "/" + bad, File: "recorded/" + bad})
	f.Requests = []string{"1.1.1", bad}
	f.Detail = []finding.Lines{finding.Plain("recorded " + bad), finding.Plain("<b>```</b>")}
	log.Add(f)
	ignored := finding.New(finding.AuditNUL, finding.Plain(bad), finding.Place{Seq: 3, Line: 4, Object: bad})
	ignored.Suppressed = bad
	log.Add(ignored)
	return log
}
