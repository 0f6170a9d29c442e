package output_test

import (
	"encoding/xml"
	"strings"
	"testing"

	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/output"
	"github.com/dsh-verify/dsh-verify/internal/result"
)

// What the readers of JUnit reports take from them, written down apart from what
// writes them.
type (
	suites struct {
		XMLName  xml.Name `xml:"testsuites"`
		Tests    int      `xml:"tests,attr"`
		Failures int      `xml:"failures,attr"`
		Errors   int      `xml:"errors,attr"`
		Skipped  int      `xml:"skipped,attr"`
		Suites   []suite  `xml:"testsuite"`
	}
	suite struct {
		Name     string     `xml:"name,attr"`
		Tests    int        `xml:"tests,attr"`
		Failures int        `xml:"failures,attr"`
		Errors   int        `xml:"errors,attr"`
		Skipped  int        `xml:"skipped,attr"`
		Cases    []testcase `xml:"testcase"`
	}
	testcase struct {
		Class    string    `xml:"classname,attr"`
		Name     string    `xml:"name,attr"`
		Failures []outcome `xml:"failure"`
		Errors   []outcome `xml:"error"`
		Skipped  []outcome `xml:"skipped"`
		Output   string    `xml:"system-out"`
	}
	outcome struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr"`
		Text    string `xml:",chardata"`
	}
)

func readJUnit(t *testing.T, report *result.Report, opts output.Options) suites {
	t.Helper()
	var got suites
	if err := xml.Unmarshal(render(t, "junit", report, opts), &got); err != nil {
		t.Fatal(err)
	}
	return got
}

// outcomes counts how the cases of a suite ended; each has one outcome at most.
func outcomes(t *testing.T, s suite) (failures, errors, skipped int) {
	for _, c := range s.Cases {
		failures += len(c.Failures)
		errors += len(c.Errors)
		skipped += len(c.Skipped)
		if len(c.Failures)+len(c.Errors)+len(c.Skipped) > 1 || c.Class != s.Name || c.Name == "" {
			t.Errorf("%s: %s (%s): one outcome at most, and the suite's name as its class", s.Name, c.Name, c.Class)
		}
	}
	return failures, errors, skipped
}

func TestJUnitAddsUp(t *testing.T) {
	report := fixtureReport(t)
	got := readJUnit(t, report, output.Options{})
	if len(got.Suites) != len(report.Logs) {
		t.Fatalf("%d suites for %d logs", len(got.Suites), len(report.Logs))
	}
	var total suites
	for i, s := range got.Suites {
		log := report.Logs[i]
		failures, errors, skipped := outcomes(t, s)
		if s.Tests != len(s.Cases) || s.Failures != failures || s.Errors != errors || s.Skipped != skipped {
			t.Errorf("%s: its counts are not those of its cases", s.Name)
		}
		if len(s.Cases) != 1+len(log.Requests) {
			t.Errorf("%s: %d cases for %d requests", s.Name, len(s.Cases), len(log.Requests))
		}
		bad := log.Verdict != finding.Verified && log.Verdict != finding.Rebuilt && log.Verdict != finding.Unverifiable
		if bad != (failures+errors > 0) {
			t.Errorf("%s: %s, and %d failures, %d errors", s.Name, log.Verdict, failures, errors)
		}
		total.Tests += s.Tests
		total.Failures += failures
		total.Errors += errors
		total.Skipped += skipped
	}
	if got.Tests != total.Tests || got.Failures != total.Failures || got.Errors != total.Errors || got.Skipped != total.Skipped {
		t.Errorf("the counts %+v are not the sums of the suites", got)
	}
}

func TestJUnitFailsTheRequestsThatDrift(t *testing.T) {
	log := checked(t, "fixtures/tools-sequential/session.jsonl", "fixtures/drift/edited-message.jsonl")
	got := readJUnit(t, newReport(log), output.Options{}).Suites[0]
	for i, c := range got.Cases {
		drifted := i > 1 // the log and the first request are fine
		if drifted != (len(c.Failures) == 1) {
			t.Errorf("%s: failures %v", c.Name, c.Failures)
		}
	}
	if first := got.Cases[2].Failures[0]; first.Type != finding.RecordingDrift.String() || !strings.Contains(first.Text, "low 0.4 m at 03:13") {
		t.Errorf("the first failure should show both sides: %+v", first)
	}
	if last := got.Cases[6].Failures[0]; !strings.HasSuffix(last.Text, "as in request 1.2.1") {
		t.Errorf("the last failure should refer to the first: %+v", last)
	}
}

func TestJUnitStrict(t *testing.T) {
	report := newReport(checked(t, "fixtures/image-inline-small/session.jsonl", ""))
	if got := readJUnit(t, report, output.Options{}); got.Skipped != 1 || got.Failures != 0 {
		t.Errorf("what could not be verified is skipped: %+v", got)
	}
	if got := readJUnit(t, report, output.Options{Strict: true}); got.Skipped != 0 || got.Failures != 1 {
		t.Errorf("with Strict it fails: %+v", got)
	}
}
