package promptcache_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dsh-verify/dsh-verify/internal/check/promptcache"
	"github.com/dsh-verify/dsh-verify/internal/source"
	"github.com/dsh-verify/dsh-verify/logformat"
)

func recorded(t *testing.T, name string) *promptcache.Report {
	t.Helper()
	place, err := source.Find("../../../fixtures/"+name, source.Spooled{})
	if err != nil {
		t.Fatal(err)
	}
	defer place.Close()
	reader, closer, err := place.Logs[0].Open(logformat.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer closer.Close()
	r, err := promptcache.Read(name, reader, promptcache.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestRecordedCauses holds to what each reset of a recorded session is attributed:
// request, causes in the prompt's order (in parentheses those that leave the prompt
// alone), names.
func TestRecordedCauses(t *testing.T) {
	for name, want := range map[string][]string{
		"header-changes": {
			"2.1.1 model switch[model] (config field[maxTokens])",
			"3.1.1 config field[reasoningEffort]",
			"4.1.1 config field[reasoningEffort]",
			"5.1.1 model switch[model] (config field[maxTokens])",
			"6.1.1 system prompt",
			"7.1.1 tools added[tide_table]",
			"8.1.1 system prompt tools removed[tide_table]",
			"9.1.1 (config field[maxTokens]) (config field[temperature]) (config field[stop])",
		},
		"compaction-pressure": {"4.2.1 compaction@104", "6.2.1 compaction@164", "7.2.1 compaction@196"},
		"tool-result-pruning": nil, // nothing in it was pruned: every request extends the one before
		"overflow-recovery-in-step": {
			"2.1.2 pruning@88 compaction@91", "3.1.3 compaction@115", "4.1.2 compaction@134",
		},
		"resume-same-and-drift": {
			"3.1.1 model switch at resume[model] (config field at resume[maxTokens]) config field at resume[reasoningEffort] system prompt at resume tools added at resume[tie_knot]",
			"4.1.1 (config field at resume[maxTokens]) tools removed at resume[tie_knot]",
		},
		"header-change-on-retry": {
			"1.1.2 model switch[model]",
			"1.1.4 model switch[model] config field[reasoningEffort]",
			"2.1.1 system prompt", // changed while the step before was retried, which kept its own
		},
		"tools-sequential": nil,
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, q := range recorded(t, name).Requests {
				if len(q.Causes) > 0 {
					got = append(got, q.Request+" "+inWords(q.Causes))
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		})
	}
}

func inWords(causes []promptcache.Cause) string {
	var words []string
	for _, c := range causes {
		word := c.Label()
		if len(c.Names) > 0 {
			word += "[" + strings.Join(c.Names, ",") + "]"
		}
		if c.Kind == promptcache.Compaction || c.Kind == promptcache.Pruning {
			word += fmt.Sprintf("@%d", c.Seq)
		}
		if !c.Resets {
			word = "(" + word + ")"
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

// TestRecordedLifetimes holds how later lifetimes and forks follow what was before.
func TestRecordedLifetimes(t *testing.T) {
	for name, want := range map[string][]string{
		"resume-same-and-drift": {
			"resume 24 after 5: ",
			"resume 41 after 24: config model: deepseek-v4-flash → deepseek-v4-pro; config maxTokens: 256000 → 1111; config reasoningEffort: high → low; " +
				"system prompt edited, 19 → 29 bytes; tool tie_knot added",
			"resume 72 after 41: config maxTokens: 1111 → 64; adapterDefaults maxTokens: true → none; tool tie_knot removed",
		},
		"fork-plain-and-override/children/1": {"fork 22 after 5: ", "resume 38 after 22: "},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, l := range recorded(t, name).Lifetimes {
				got = append(got, fmt.Sprintf("%s %d after %d: %s", l.Kind, l.Seq, l.BeforeSeq, strings.Join(l.Changes, "; ")))
			}
			if !slices.Equal(got, want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		})
	}
}
