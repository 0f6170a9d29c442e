package output

import (
	"encoding/xml"
	"io"
	"slices"
	"strings"

	"github.com/dsh-verify/dsh-verify/diffview"
	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/result"
)

// The elements of a JUnit report that its readers agree on.
type (
	junitSuites struct {
		XMLName xml.Name `xml:"testsuites"`
		Name    string   `xml:"name,attr"`
		junitCounts
		Suites []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name string `xml:"name,attr"`
		junitCounts
		Cases []junitCase `xml:"testcase"`
	}
	junitCounts struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Errors   int `xml:"errors,attr"`
		Skipped  int `xml:"skipped,attr"`
	}
	junitCase struct {
		Class   string        `xml:"classname,attr"`
		Name    string        `xml:"name,attr"`
		Failure *junitOutcome `xml:"failure"`
		Error   *junitOutcome `xml:"error"`
		Skipped *junitOutcome `xml:"skipped"`
		Output  *junitOutput  `xml:"system-out"`
	}
	junitOutcome struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr,omitempty"`
		Text    string `xml:",cdata"`
	}
	junitOutput struct {
		Text string `xml:",cdata"`
	}
)

func (c *junitCounts) add(of junitCounts) {
	c.Tests += of.Tests
	c.Failures += of.Failures
	c.Errors += of.Errors
	c.Skipped += of.Skipped
}

// junit writes a suite per log. A finding fails the requests that it names, and
// the log itself when it names none; so a suite fails if its log does.
func junit(w io.Writer, report *result.Report, strict bool) error {
	all := junitSuites{Name: "dsh-verify"}
	for _, log := range report.Logs {
		suite := junitLog(log, strict)
		all.add(suite.junitCounts)
		all.Suites = append(all.Suites, suite)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(all); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func junitLog(log *result.Log, strict bool) junitSuite {
	name := diffview.Visible(log.File)
	failing, rest := byRequest(log)
	cases := []junitCase{logCase(log, rest, len(failing) > 0, strict)}
	reported := make(map[*finding.Finding]string)
	for _, q := range log.Requests {
		c := junitCase{Name: "request " + q.Key()}
		switch found := failing[q.Key()]; {
		case len(found) > 0:
			c.Failure = requestFailure(q.Key(), found, reported)
		case q.Prepared && q.Verdict != finding.Verified:
			c.Skipped = &junitOutcome{Message: "the log does not show that it was sent"}
		}
		cases = append(cases, c)
	}
	suite := junitSuite{Name: name, Cases: cases}
	for i := range cases {
		cases[i].Class = name
		suite.Tests++
		switch c := cases[i]; {
		case c.Failure != nil:
			suite.Failures++
		case c.Error != nil:
			suite.Errors++
		case c.Skipped != nil:
			suite.Skipped++
		}
	}
	return suite
}

// byRequest sorts a log's failing findings by the requests that they name; the
// rest is about the log.
func byRequest(log *result.Log) (failing map[string][]*finding.Finding, rest []finding.Finding) {
	rows := make(map[string]bool, len(log.Requests))
	for _, q := range log.Requests {
		rows[q.Key()] = true
	}
	failing = make(map[string][]*finding.Finding)
	for i := range log.Findings {
		f := &log.Findings[i]
		if !f.Fails() {
			continue
		}
		keys := f.Requests
		if !slices.Contains(keys, f.Place.Request) {
			keys = append([]string{f.Place.Request}, keys...)
		}
		named := false
		for _, key := range keys {
			if rows[key] {
				failing[key] = append(failing[key], f)
				named = true
			}
		}
		if !named {
			rest = append(rest, *f)
		}
	}
	return failing, rest
}

// requestFailure says in full what a request is the first to show, and refers to
// that request from the others.
func requestFailure(key string, found []*finding.Finding, reported map[*finding.Finding]string) *junitOutcome {
	out := &junitOutcome{Type: found[0].Code.String()}
	var text []string
	for _, f := range found {
		first, again := reported[f]
		if again {
			text = append(text, f.Code.String()+": as in request "+first)
		} else {
			reported[f] = key
			text = append(text, f.Code.String()+": "+strings.Join(explain(*f), "\n"))
		}
		if out.Message == "" {
			out.Message, _, _ = strings.Cut(text[0], "\n")
		}
	}
	out.Text = strings.Join(text, "\n\n")
	return out
}

// logCase is the case of the log itself. It fails with what names no request, and
// says on the side what fails nothing.
func logCase(log *result.Log, failing []finding.Finding, elsewhere, strict bool) junitCase {
	c := junitCase{Name: "log", Output: remarks(log)}
	switch {
	case len(failing) > 0:
		out := &junitOutcome{Type: failing[0].Code.String(), Message: failing[0].Code.String() + ": " + diffview.Visible(failing[0].Message())}
		var text []string
		for _, f := range failing {
			text = append(text, strings.Join(append([]string{strings.TrimSpace(f.Code.String() + "  " + where(log, f, true))}, explain(f)...), "\n"))
		}
		out.Text = strings.Join(text, "\n\n")
		if log.Verdict == finding.Unreadable {
			c.Error = out
		} else {
			c.Failure = out
		}
	case log.Verdict == finding.Unverifiable && strict:
		c.Failure = &junitOutcome{Type: string(log.Verdict), Message: openQuestions(log)}
	case log.Verdict == finding.Unverifiable:
		c.Skipped = &junitOutcome{Message: openQuestions(log)}
	case worse(log.Verdict, finding.Unverifiable) && !elsewhere:
		c.Failure = &junitOutcome{Type: string(log.Verdict), Message: "the verdict is " + string(log.Verdict)}
	}
	return c
}

// remarks are the findings that fail nothing.
func remarks(log *result.Log) *junitOutput {
	var text []string
	for _, f := range log.Findings {
		if !f.Fails() {
			head := strings.TrimSpace(label(f) + " " + f.Code.String() + "  " + where(log, f, false))
			text = append(text, strings.Join(append([]string{head}, explain(f)...), "\n"))
		}
	}
	if len(text) == 0 {
		return nil
	}
	return &junitOutput{strings.Join(text, "\n\n")}
}

// openQuestions says what could not be verified.
func openQuestions(log *result.Log) string {
	for _, f := range log.Findings {
		if f.Imposes() == finding.Unverifiable {
			return f.Code.String() + ": " + diffview.Visible(f.Message())
		}
	}
	return "something that a check needs is not available"
}

func worse(a, b finding.Verdict) bool { return a != b && finding.Worse(a, b) == a }
