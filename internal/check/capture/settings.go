package capture

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/reconstruct/wire"
)

// single are the settings of a deployment that have one value in the whole life of a
// process and for a model: an adapter reads them when it starts. The others follow from
// each request too.
var single = map[string]bool{"default-effort": true, "thinking": true, "picture-handle": true, "pixel-budget": true, "byte-cap": true}

// settings are what captured bodies say of the deployment that posted them.
type settings struct {
	texts  []finding.Text // "name = value", as they came
	values map[setting]map[string]string
}

// A setting is one of a process for a model.
type setting struct {
	name, model string
	lifetime    int
}

// assume notes the settings that explain a body of a process.
func (s *settings) assume(body string, list []wire.Assumption, model string, lifetime int) {
	for _, a := range list {
		s.text(a.Name, finding.Span{Text: strings.ToValidUTF8(a.Value, "\ufffd")})
		if !single[a.Name] {
			continue
		}
		key := setting{a.Name, model, lifetime}
		if s.values == nil {
			s.values = make(map[setting]map[string]string)
		}
		if s.values[key] == nil {
			s.values[key] = make(map[string]string)
		}
		if s.values[key][a.Value] == "" {
			s.values[key][a.Value] = body
		}
	}
}

// text notes a setting once.
func (s *settings) text(name string, value finding.Span) {
	text := finding.Say("%s = %s", name, value)
	if !slices.ContainsFunc(s.texts, func(t finding.Text) bool { return slices.Equal(t, text) }) {
		s.texts = append(s.texts, text)
	}
}

// disagreeing names the settings that have more than one value in one process, each
// with the first body of each value.
func (s *settings) disagreeing() (list []string) {
	for key, values := range s.values {
		if len(values) < 2 {
			continue
		}
		var each []string
		for _, value := range slices.Sorted(maps.Keys(values)) {
			each = append(each, fmt.Sprintf("%s in %s", value, values[value]))
		}
		list = append(list, key.name+" is "+strings.Join(each, " and "))
	}
	slices.Sort(list)
	return slices.Compact(list)
}
