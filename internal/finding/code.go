package finding

import (
	"fmt"
	"strings"
)

// A Code names what a finding says. Codes are stable: they never change their
// meaning, and tools may depend on their names. There are no other codes than the
// values that this package declares, and [Parse] finds one of them by its name.
type Code struct{ entry *Entry }

// An Entry describes a code: what it means, what to do about it, and what it does
// to a log's verdict.
type Entry struct {
	Code     string   `json:"code"`
	Severity Severity `json:"severity"`
	Group    string   `json:"group"` // refusal, tail, request, recording, object, …
	Meaning  string   `json:"meaning"`
	Action   string   `json:"action,omitempty"`
	// Imposes is the verdict of a log with this finding; "" leaves it as it is. A
	// policy that ignores the finding takes it back.
	Imposes Verdict `json:"-"`
}

// String returns the code's name, as "recording/drift".
func (c Code) String() string { return c.Entry().Code }

// Entry returns the code's description.
func (c Code) Entry() Entry {
	if c.entry == nil {
		return Entry{}
	}
	return *c.entry
}

// Is reports whether the code belongs to a group.
func (c Code) Is(group string) bool { return c.Entry().Group == group }

// MarshalText prints the name.
func (c Code) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText reads a name.
func (c *Code) UnmarshalText(text []byte) error {
	code, ok := Parse(string(text))
	if !ok {
		return fmt.Errorf("no finding has the code %q", text)
	}
	*c = code
	return nil
}

// declared are the codes in the order in which they were declared.
var declared []*Entry

// note declares a code that changes no verdict.
func note(code, meaning, action string) Code { return declare(code, Note, "", meaning, action) }

// warning declares a code of which a person should know, and that changes no verdict.
func warning(code, meaning, action string) Code { return declare(code, Warning, "", meaning, action) }

// failure declares a code of something that differs: it makes the verdict drift.
func failure(code, meaning, action string) Code { return declare(code, Error, Drift, meaning, action) }

// declare declares a code with a verdict of its own. Its group is what its name
// begins with.
func declare(code string, severity Severity, imposes Verdict, meaning, action string) Code {
	group, _, _ := strings.Cut(code, "/")
	e := &Entry{Code: code, Severity: severity, Group: group, Meaning: meaning, Action: action, Imposes: imposes}
	declared = append(declared, e)
	return Code{e}
}
