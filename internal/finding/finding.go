package finding

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"

	"github.com/dsh-verify/dsh-verify/internal/redact"
)

// Severity ranks findings.
type Severity int

// The severities.
const (
	Note    Severity = iota // worth knowing; changes no verdict
	Warning                 // something was not checked, or may bite later
	Error                   // the log, an object or a recording fails
)

// String returns the severity's name.
func (s Severity) String() string { return [...]string{"note", "warning", "error"}[s] }

// UnmarshalText reads a severity's name.
func (s *Severity) UnmarshalText(text []byte) error {
	for v := Note; v <= Error; v++ {
		if v.String() == string(text) {
			*s = v
			return nil
		}
	}
	return fmt.Errorf("no severity is called %q: there are note, warning and error", text)
}

// MarshalText prints the name.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// A Place is where a finding is. Fields that do not apply are zero, Seq -1.
type Place struct {
	File    string `json:"file,omitempty"`
	Session string `json:"sessionId,omitempty"`
	Line    int64  `json:"line,omitempty"`   // 1-based
	Offset  int64  `json:"offset,omitempty"` // of the line in the decoded log, or of the byte in a recording
	Frame   int    `json:"frame,omitempty"`
	Seq     int64  `json:"seq"`               // event number, -1: none
	Request string `json:"request,omitempty"` // turn.step.attempt
	Pointer string `json:"pointer,omitempty"` // RFC 6901, in the request
	Object  string `json:"object,omitempty"`  // attachment id
}

// A Finding is one thing that a check has to say. What it quotes of a log is kept apart
// until it is printed: print it with control characters made visible.
type Finding struct {
	Code     Code
	Severity Severity
	// Said is what was found, in one clause; none where what the code means is all.
	Said Text
	// Means is said instead of what the code means, where that is too wide.
	Means string
	// Remark is said after the meaning.
	Remark   string
	Place    Place
	Action   string
	Requests []string // every request it breaks or stands in
	Detail   []Lines  // further lines for a person, as a drift's two sides
	Count    int      // consequences folded into this one
	// Cause is the event of the log that a finding about another file goes back
	// to, as the message that a recording holds in another form.
	Cause *Place
	// Suppressed is the reason for which a policy ignores the finding.
	Suppressed string
}

// Message returns one sentence: what is wrong and what it means.
func (f *Finding) Message() string {
	said, meaning := f.Said.String(), cmp.Or(f.Means, f.Code.Entry().Meaning)
	if said != "" {
		said += ": "
	}
	return said + meaning + f.Remark
}

// Lines returns the further lines.
func (f *Finding) Lines() (lines []string) {
	for _, detail := range f.Detail {
		for _, line := range detail.Lines(nil) {
			lines = append(lines, line.String())
		}
	}
	return lines
}

// Settle makes the finding ready to be printed: its further lines are printed, and let go
// what they were made of. A redactor, when there is one, replaces all that is quoted; the
// folder cwd, where the session ran, is replaced in what is left.
func (f *Finding) Settle(r *redact.Redactor, cwd string) {
	var detail []Lines
	for _, lines := range f.Detail {
		for _, line := range lines.Lines(r) {
			detail = append(detail, line)
		}
	}
	f.Detail = detail
	if r == nil {
		return
	}
	f.Place.Pointer = r.Pointer(f.Place.Pointer)
	f.Place.Object = r.Object(f.Place.Object)
	f.Said = f.Said.Redact(r)
	if len(cwd) > 1 {
		f.Said = f.Said.replace(cwd, r.Text(cwd))
	}
}

// MarshalJSON prints the finding with its sentence and lines as strings.
func (f Finding) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // a writer escapes what its readers need
	err := enc.Encode(struct {
		Code       Code     `json:"code"`
		Severity   Severity `json:"severity"`
		Message    string   `json:"message"`
		Place      Place    `json:"place"`
		Action     string   `json:"action,omitempty"`
		Requests   []string `json:"requests,omitempty"`
		Detail     []string `json:"detail,omitempty"`
		Count      int      `json:"count,omitempty"`
		Cause      *Place   `json:"cause,omitempty"`
		Suppressed string   `json:"suppressed,omitempty"`
	}{f.Code, f.Severity, f.Message(), f.Place, f.Action, f.Requests, f.Lines(), f.Count, f.Cause, f.Suppressed})
	return b.Bytes(), err
}

// Where returns the place as a short prefix for one line of text.
func (p Place) Where() string {
	switch {
	case p.Request != "" && p.Seq >= 0:
		return fmt.Sprintf("request %s (seq %d)", p.Request, p.Seq)
	case p.Request != "":
		return "request " + p.Request
	case p.Line > 0 && p.Seq >= 0:
		return fmt.Sprintf("line %d (seq %d)", p.Line, p.Seq)
	case p.Line > 0:
		return fmt.Sprintf("line %d", p.Line)
	case p.Object != "":
		return p.Object
	}
	return ""
}

// A Verdict sums up a log or a run.
type Verdict string

// The verdicts, from best to worst.
const (
	Verified     Verdict = "verified"     // compared with a recording, and equal
	Sealed       Verdict = "as sealed"    // what it was when it was sealed, which says nothing of the time before
	Rebuilt      Verdict = "rebuilt"      // sound, and rebuilt; nothing to compare with
	Unverifiable Verdict = "unverifiable" // something that a check needs is not available
	Nothing      Verdict = "nothing"      // nothing was left to check
	Drift        Verdict = "drift"        // a recording differs, or an object fails
	Refused      Verdict = "refused"      // the log cannot be trusted
	Unreadable   Verdict = "unreadable"   // an input could not be read
)

var rank = map[Verdict]int{Verified: 1, Sealed: 2, Rebuilt: 3, Unverifiable: 4, Nothing: 5, Drift: 6, Refused: 7, Unreadable: 8}

// Worse returns the worse of two verdicts; "" is no verdict.
func Worse(a, b Verdict) Verdict {
	if rank[b] > rank[a] {
		return b
	}
	return a
}
