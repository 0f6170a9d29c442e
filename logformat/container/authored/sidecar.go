package authored

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

// Sidecars are the texts of a log's sidecar files; nil where there is none.
type Sidecars struct {
	Tools  []byte
	System []byte
}

// SidecarNames returns what the sidecars of a log are called, given the name of
// its file; "" when no log has that name.
func SidecarNames(log string) (tools, system string) {
	number, ok := Number(log)
	if !ok {
		return "", ""
	}
	if number != "" {
		number = "." + number
	}
	return "tool-schemas" + number + ".expected.json", "system-prompt" + number + ".expected.md"
}

var fileName = regexp.MustCompile(`^session(?:\.(0|[1-9][0-9]{0,8}))?\.jsonl$`)

// Number returns the N of session.N.jsonl, "" for session.jsonl; ok is false for
// other names.
func Number(log string) (number string, ok bool) {
	m := fileName.FindStringSubmatch(log)
	if m == nil {
		return "", false
	}
	return m[1], true
}

// prompts holds the system prompts of a sidecar as JSON strings.
type prompts struct {
	initial []byte
	changes map[int][]byte
	zero    bool // changes count from 0
}

var marker = regexp.MustCompile(`\r?\n\r?\n<!-- request/header change ([0-9]{1,9}) -->\r?\n\r?\n`)

func parsePrompts(text []byte) *prompts {
	p := &prompts{changes: make(map[int][]byte)}
	number, start := -1, 0
	add := func(prompt []byte) {
		literal := ecmajson.AppendString(nil, string(prompt))
		if number < 0 {
			p.initial = literal
		} else {
			p.changes[number] = literal
		}
	}
	for i, at := range marker.FindAllSubmatchIndex(text, -1) {
		add(text[start:at[0]])
		number, _ = strconv.Atoi(string(text[at[2]:at[3]]))
		p.zero = p.zero || i == 0 && number == 0
		start = at[1]
	}
	add([]byte(strings.TrimSuffix(strings.TrimSuffix(string(text[start:]), "\n"), "\r")))
	return p
}

// of returns the prompt of a header; change is the number of the header among
// those with that reason, from 1, and 0 for others.
func (p *prompts) of(change int) []byte {
	if p.zero {
		change--
	}
	for ; change >= 0; change-- {
		if prompt := p.changes[change]; prompt != nil {
			return prompt
		}
	}
	return p.initial
}

// toolLists holds the tools of a sidecar as canonical JSON.
type toolLists struct {
	initial ecmajson.Value
	changes []ecmajson.Value
}

func parseTools(text []byte) (*toolLists, string) {
	canonical, _, err := ecmajson.Canonical(text)
	if err != nil {
		return nil, "it is not JSON: " + err.Error()
	}
	v := ecmajson.Value(canonical)
	t := &toolLists{initial: v.Lookup("initial")}
	if t.initial.Kind() != ecmajson.Array {
		return nil, "it has no list \"initial\""
	}
	for list := range v.Lookup("changes").Elements() {
		if list.Kind() != ecmajson.Array {
			return nil, fmt.Sprintf("changes[%d] is no list of tools", len(t.changes))
		}
		t.changes = append(t.changes, list)
	}
	return t, ""
}

// of returns the tools of a header; change as in prompts.of.
func (t *toolLists) of(change int) (ecmajson.Value, string) {
	if change == 0 {
		return t.initial, ""
	}
	if change > len(t.changes) {
		return nil, fmt.Sprintf("it holds the tools of %d changes, and this is change %d", len(t.changes), change)
	}
	return t.changes[change-1], ""
}
