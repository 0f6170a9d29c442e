package headerdiff_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/dsh-verify/dsh-verify/internal/headerdiff"
	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
	"github.com/dsh-verify/dsh-verify/reconstruct"
)

func header(config, system, tools string) *reconstruct.EpochHeader {
	h := &reconstruct.EpochHeader{Config: ecmajson.Value(config)}
	if system != "" {
		h.System = ecmajson.Value(system)
	}
	if tools != "" {
		h.Tools = ecmajson.Value(tools)
	}
	return h
}

func TestCompare(t *testing.T) {
	const config = `{"provider":"p","model":"m","maxTokens":5}`
	for _, c := range []struct {
		name         string
		old, current *reconstruct.EpochHeader
		want         []string
	}{
		{"the same", header(config, `"s"`, `[{"name":"a"}]`), header(config, `"s"`, `[{"name":"a"}]`), nil},
		{
			"a field", header(config, "", ""), header(`{"provider":"p","model":"n","temperature":1}`, "", ""),
			[]string{"config model: m → n", "config maxTokens: 5 → none", "config temperature: none → 1"},
		},
		{
			"fields in another order", header(config, "", ""), header(`{"model":"m","provider":"p","maxTokens":5}`, "", ""),
			[]string{"config keys reordered: provider, model, maxTokens → model, provider, maxTokens"},
		},
		{"a system prompt that comes", header(config, "", ""), header(config, `"s"`, ""), []string{"system prompt added"}},
		{"a system prompt that goes", header(config, `"s"`, ""), header(config, "", ""), []string{"system prompt removed"}},
		{"a system prompt that changes", header(config, `"s"`, ""), header(config, `"st"`, ""), []string{"system prompt edited, 3 → 4 bytes"}},
		{
			"the keys of a tool", header(config, "", `[{"name":"a","x":1,"y":2}]`), header(config, "", `[{"name":"a","y":2,"x":1}]`),
			[]string{"tool a has its keys in another order"},
		},
		{"a tool that changes", header(config, "", `[{"name":"a","x":1}]`), header(config, "", `[{"name":"a","x":2}]`), []string{"tool a edited"}},
		{
			"tools that come, go and move", header(config, "", `[{"name":"a"},{"name":"b"},{"name":"c"}]`), header(config, "", `[{"name":"d"},{"name":"c"},{"name":"a"}]`),
			[]string{"tool b removed", "tool d added", "tools reordered: a, b, c → d, c, a"},
		},
		{"a tool that comes first moves nobody", header(config, "", `[{"name":"b"}]`), header(config, "", `[{"name":"a"},{"name":"b"}]`), []string{"tool a added"}},
		{"tools that are a text", header(config, "", `"{{tools}}"`), header(config, "", `[{"name":"a"}]`), []string{"tools edited"}},
		{"text that would drive a terminal", header(config, "", ""), header(`{"provider":"p","model":"\u001b[31m","maxTokens":5}`, "", ""), []string{`config model: m → \u{1b}[31m`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, change := range headerdiff.Compare(c.old, c.current) {
				got = append(got, change.String())
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
		})
	}
}
