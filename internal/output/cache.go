package output

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"github.com/dsh-verify/dsh-verify/diffview"
	"github.com/dsh-verify/dsh-verify/internal/check/promptcache"
	"github.com/dsh-verify/dsh-verify/internal/headerdiff"
)

// CacheJSON writes cache reports as one indented document.
func CacheJSON(w io.Writer, reports []*promptcache.Report) error {
	return WriteJSON(w, struct {
		SchemaVersion int                   `json:"schemaVersion"`
		Logs          []*promptcache.Report `json:"logs"`
	}{promptcache.SchemaVersion, reports}, "  ")
}

// CacheCSV writes cache reports as one table with a heading, a line per request.
func CacheCSV(w io.Writer, reports []*promptcache.Report) error {
	out := csv.NewWriter(w)
	out.Write([]string{
		"session", "number", "request", "provider", "model", "messages", "promptBytes", "keptBytes", "keptShare",
		"inputTokens", "cacheReadTokens", "cacheWriteTokens", "outputTokens", "expectedTokens", "lostTokens", "verdict", "cause", "details",
	})
	for _, r := range reports {
		for _, q := range r.Requests {
			cause := ""
			if first, ok := q.FirstDifference(); ok {
				cause = first.Label()
			}
			out.Write([]string{
				text(r.SessionID), strconv.Itoa(q.Ordinal), text(q.Request), text(q.Provider), text(q.Model), strconv.Itoa(q.Messages),
				strconv.FormatInt(q.PromptBytes, 10), strconv.FormatInt(q.KeptBytes, 10), strconv.FormatFloat(q.KeptShare, 'f', 4, 64),
				cell(q.Usage.Input), cell(q.Usage.CacheRead), cell(q.Usage.CacheWrite), cell(q.Usage.Output), cell(q.Expected),
				cell(q.Lost), text(string(q.Verdict)), text(cause), text(details(q)),
			})
		}
	}
	out.Flush()
	return out.Error()
}

// text is the cell of a text. What a spreadsheet would take for a formula gets an
// apostrophe in front, which makes it text there.
func text(s string) string {
	s = diffview.Visible(s)
	if first, _ := utf8.DecodeRuneInString(strings.TrimLeft(s, " ")); strings.ContainsRune("=+-@＝＋－＠", first) {
		return "'" + s
	}
	return s
}

// cell is that of a number, empty where it is not known.
func cell(n promptcache.Tokens) string {
	if n < 0 {
		return ""
	}
	return strconv.FormatInt(int64(n), 10)
}

func details(q *promptcache.Request) string {
	var words []string
	for _, c := range q.Causes {
		words = append(words, c.Detail)
	}
	return strings.Join(words, "; ")
}

// Cache prints cache reports for a person.
type Cache struct {
	w     io.Writer
	style *Style
	diffs diffview.Printer
}

// NewCache returns a printer, which shows edits with the given one.
func NewCache(w io.Writer, style *Style, diffs diffview.Printer) *Cache {
	return &Cache{w, style, diffs}
}

// Report prints the report on one log.
func (c *Cache) Report(r *promptcache.Report) {
	fmt.Fprintln(c.w, c.style.bold.Sprint(diffview.Visible(r.File)))
	fmt.Fprintf(c.w, "  session  %s\n", diffview.Visible(r.SessionID))
	if len(r.Requests) > 0 {
		c.table(r.Requests)
		c.resets(r.Requests)
	}
	c.lifetimes(r.Lifetimes)
	c.totals(r)
	c.costs(r)
	for i, p := range r.Patterns {
		if i == 0 {
			c.heading("patterns")
		}
		fmt.Fprintf(c.w, "    %s: %s (%s)\n", p.Name, p.Detail, keys(p.Requests))
	}
	for i, n := range r.Notes {
		if i == 0 {
			c.heading("notes")
		}
		fmt.Fprintf(c.w, "    %s\n", n)
	}
	fmt.Fprintln(c.w)
}

func (c *Cache) heading(s string) { fmt.Fprintf(c.w, "\n  %s\n", c.style.bold.Sprint(s)) }

func (c *Cache) table(rows []*promptcache.Request) {
	var b bytes.Buffer
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "  #\tREQUEST\tPROMPT\tKEPT\tSHARE\tINPUT\tREAD\tWRITE\tOUTPUT\tEXPECTED\tVERDICT\tAGAINST THE ONE BEFORE")
	for _, q := range rows {
		kept, share := strconv.FormatInt(q.KeptBytes, 10), fmt.Sprintf("%.0f%%", 100*q.KeptShare)
		if q.First {
			kept, share = "-", "-"
		}
		fmt.Fprintf(w, "  %d\t%s\t%d\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", q.Ordinal, q.Request, q.PromptBytes, kept, share,
			dash(q.Usage.Input), dash(q.Usage.CacheRead), dash(q.Usage.CacheWrite), dash(q.Usage.Output), dash(q.Expected), q.Verdict, against(q))
	}
	w.Flush()
	fmt.Fprintln(c.w)
	for i, line := range strings.SplitAfter(b.String(), "\n") {
		if i == 0 {
			line = c.style.faint.Sprint(strings.TrimSuffix(line, "\n")) + "\n"
		} else {
			line = strings.Replace(line, string(promptcache.UnexplainedDrop), c.style.red.Sprint(string(promptcache.UnexplainedDrop)), 1)
			line = strings.Replace(line, string(promptcache.ExplainedDrop), c.style.yellow.Sprint(string(promptcache.ExplainedDrop)), 1)
		}
		io.WriteString(c.w, line)
	}
}

func dash(n promptcache.Tokens) string {
	if n < 0 {
		return "-"
	}
	return strconv.FormatInt(int64(n), 10)
}

// against says in a few words how a request follows the one before it.
func against(q *promptcache.Request) string {
	words := []string{}
	switch first, ok := q.FirstDifference(); {
	case q.First:
		return "first"
	case ok:
		words = append(words, first.Detail)
		if more := len(q.Causes) - 1; more > 0 {
			words = append(words, fmt.Sprintf("%d more", more))
		}
	case len(q.Causes) > 0:
		words = append(words, "extends it", q.Causes[0].Detail)
	default:
		words = append(words, "extends it")
	}
	if reason := unkept(q); reason != "" {
		words = append(words, reason)
	}
	if q.Resume {
		words = append(words, "resumed")
	}
	if q.Inherited {
		words = append(words, "forked")
	}
	return strings.Join(words, ", ")
}

// unkept says why a prompt that is kept whole is expected to find nothing in the
// cache, "" where it is not so.
func unkept(q *promptcache.Request) string {
	first, reset := q.FirstDifference()
	switch {
	case q.First || q.Expected != 0 || q.KeptShare < 0.995:
		return ""
	case reset && first.Kind == promptcache.ConfigField:
		return "which may be part of the prompt: a cache of its own"
	case reset:
		return "a cache of its own"
	}
	return "no request before it with this header reported its tokens"
}

// resets lists what differs where more than a row can hold does.
func (c *Cache) resets(rows []*promptcache.Request) {
	headed := false
	for _, q := range rows {
		if len(q.Causes) == 0 {
			continue
		}
		if !headed {
			c.heading("differences")
			headed = true
		}
		fmt.Fprintf(c.w, "    %s  seq %d\n", q.Request, q.Causes[0].Seq)
		for _, cause := range q.Causes {
			mark := ""
			if !cause.Resets {
				mark = " (does not touch the prompt before it)"
			}
			fmt.Fprintf(c.w, "      %s%s\n", cause.Detail, mark)
			c.change(cause.Change)
		}
	}
}

// change shows how an edited system prompt or tool differs.
func (c *Cache) change(change *headerdiff.Change) {
	if change == nil {
		return
	}
	if change.Part != headerdiff.System && change.Part != headerdiff.Tools {
		return // the clause says it all
	}
	if d := change.Diff(); d != nil {
		var b bytes.Buffer
		c.diffs.Changes(&b, d, "        ")
		text := b.String()
		if first, rest, _ := strings.Cut(text, "\n"); strings.HasPrefix(first, "        the whole:") {
			text = rest
		}
		io.WriteString(c.w, text)
	}
}

func (c *Cache) lifetimes(list []promptcache.Lifetime) {
	if len(list) == 0 {
		return
	}
	c.heading("lifetimes and forks")
	for _, l := range list {
		what := "the header before, seq"
		switch l.Kind {
		case "fork":
			what = "the inherited header, seq"
		case "parent":
			what = "the header in the log of its parent " + diffview.Visible(l.Parent) + ", seq"
		}
		verdict := "without drift"
		if l.Drift {
			verdict = "with drift"
		}
		fmt.Fprintf(c.w, "    seq %d against %s %d: %s\n", l.Seq, what, l.BeforeSeq, verdict)
		for i, change := range l.Changes {
			fmt.Fprintf(c.w, "      %s\n", change)
			c.change(&l.Values[i])
		}
	}
}

func (c *Cache) totals(r *promptcache.Report) {
	t := r.Totals
	c.heading("totals")
	var words []string
	for _, v := range []promptcache.Verdict{promptcache.Hit, promptcache.ColdStart, promptcache.ExplainedDrop, promptcache.UnexplainedDrop, promptcache.TooFew, promptcache.NotReported} {
		if n := t.Verdicts[v]; n > 0 {
			words = append(words, fmt.Sprintf("%d %s", n, v))
		}
	}
	if t.Requests == 0 {
		fmt.Fprintln(c.w, "    no requests")
	} else {
		fmt.Fprintf(c.w, "    %s: %s; %s\n", plural(int64(t.Requests), "request"), strings.Join(words, ", "), plural(int64(t.Resets), "reset"))
		fmt.Fprintf(c.w, "    tokens: %s input, %s cache read, %s cache write, %s output%s\n",
			dash(t.Input), dash(t.CacheRead), dash(t.CacheWrite), dash(t.Output), hitShare(t))
	}
	if t.Lost > 0 {
		fmt.Fprintf(c.w, "    lost to drops: %d tokens\n", t.Lost)
	}
	switch {
	case t.Compactions > 0 && t.OneshotIn < 0 && t.OneshotOut < 0:
		fmt.Fprintf(c.w, "    compaction calls: %d more, tokens not reported\n", t.Compactions)
	case t.Compactions > 0:
		fmt.Fprintf(c.w, "    compaction calls: %d more, %s tokens in, %s out\n", t.Compactions, dash(t.OneshotIn), dash(t.OneshotOut))
	}
}

func hitShare(t promptcache.Totals) string {
	whole := max(0, t.Input) + max(0, t.CacheRead) + max(0, t.CacheWrite)
	if t.CacheRead <= 0 {
		return ""
	}
	return fmt.Sprintf("; %.1f%% of all prompts came from the cache", 100*float64(t.CacheRead)/float64(whole))
}

func (c *Cache) costs(r *promptcache.Report) {
	if len(r.Costs) == 0 {
		return
	}
	c.heading("costs")
	var b bytes.Buffer
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "    CAUSE\tREQUESTS\tTOKENS READ AGAIN\tBYTES BEHIND THE DIFFERENCE")
	resets := 0
	for _, cost := range r.Costs {
		tokens := "-"
		if cost.Reported {
			tokens = strconv.FormatInt(cost.Tokens, 10)
		}
		fmt.Fprintf(w, "    %s\t%d\t%s\t%d\n", cost.Cause, cost.Requests, tokens, cost.Bytes)
		if cost.Cause != string(promptcache.Unexplained) {
			resets += cost.Requests
		}
	}
	w.Flush()
	b.WriteTo(c.w)
	if resets != r.Totals.Resets {
		fmt.Fprintln(c.w, "    a drop is charged to what was reset by requests before it that nobody answered, too")
	}
	if len(r.Worst) == 0 {
		return
	}
	c.heading("the most expensive")
	for _, l := range r.Worst {
		size := fmt.Sprintf("%d tokens", l.Tokens)
		if !l.Reported {
			size = fmt.Sprintf("%d bytes, tokens not reported", l.Bytes)
		}
		fmt.Fprintf(c.w, "    %s  %s: %s\n", l.Request, size, l.Detail)
	}
}

// keys lists requests, the first few by name.
func keys(list []string) string {
	const most = 5
	if len(list) <= most {
		return strings.Join(list, " ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(list[:most], " "), len(list)-most)
}
