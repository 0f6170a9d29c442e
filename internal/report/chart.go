package report

import (
	"fmt"

	"github.com/dsh-verify/dsh-verify/internal/finding"
)

// A bar is a request as the charts draw it.
type bar struct {
	key         string
	turn        int64
	bytes       int64
	prompt      int64 // bytes of the prompt, and how many the one before started with
	kept        int64
	broke       string // what broke the prefix of the one before
	unexplained bool   // the cache gave less, and the log does not say why
	kind, words string
	verdict     finding.Verdict
	shown       bool
	prepared    bool
	share       float64 // of the input tokens that the provider read from its cache
	reported    bool
	folded      int // further requests that this one stands for
}

// A Chart is a drawing in units of a fixed width, scaled by the page.
type Chart struct {
	Width, Height int
	Left, Right   int // of the plot
	Top, Bottom   int
	Grid          []GridLine
	Turns         []TurnSpan
	Bars          []Bar
	Marks         []Mark
	marks         []rawMark
	Line          string // points of the reported share, "" when there are none
	Dots          []Dot
	Summary       string
	Note          string
}

// PlotHeight is the height of the plot without what stands around it.
func (c *Chart) PlotHeight() int { return c.Bottom - c.Top }

// TurnY is where the names of the turns stand.
func (c *Chart) TurnY() int { return c.Bottom + 22 }

// MarkY is where the line of a mark above the plot starts.
func (c *Chart) MarkY() int { return c.Top - 4 }

// TickX is where the numbers of the grid end.
func (c *Chart) TickX() int { return c.Left - 8 }

// The rest are the pieces of a chart. Positions are of the top left corner.
type (
	GridLine struct {
		Y    string
		Text string
	}
	TurnSpan struct {
		X, W, Mid string
		Text      string
		Odd       bool
	}
	Bar struct {
		X, Y, W, H string
		NewH       string
		Class      string
		Drift      bool
		Target     string
		Label      string
		HitX, HitW string
	}
	Mark struct {
		X, Y  string
		Class string
		Text  string // "" where there is no room
		Guide bool   // a line leads from it through the plot

		From, To string // where the row of bars starts and ends that it is for
	}
	Dot struct{ X, Y string }
)

// The measures of a chart.
const (
	chartWidth  = 1080
	plotLeft    = 64
	plotRight   = 1068
	maxBars     = 400
	maxBarWidth = 40.0
)

// grouped puts the bars of a long session into groups, each shown by its most
// telling request.
func grouped(bars []bar) []bar {
	per := (len(bars) + maxBars - 1) / maxBars
	if per <= 1 {
		return bars
	}
	var out []bar
	for from := 0; from < len(bars); from += per {
		best := bars[from]
		group := bars[from:min(len(bars), from+per)]
		for _, b := range group {
			if telling(b) > telling(best) {
				best = b
			}
		}
		best.folded = len(group) - 1
		out = append(out, best)
	}
	return out
}

func telling(b bar) int {
	switch {
	case b.verdict == finding.Drift:
		return 3
	case b.broke != "" || b.unexplained:
		return 2
	case b.kind != "extends":
		return 1
	}
	return 0
}

// f prints a coordinate.
func f(x float64) string { return trimZero(x) }

// slots places n bars side by side.
func slots(n int) (step, width float64) {
	step = float64(plotRight-plotLeft) / float64(n)
	return step, min(maxBarWidth, step*0.72)
}

// timeline draws the requests by turn: the height is the length, the pale part
// what the request keeps of the one before, the colour their relation.
func timeline(anchor string, all []bar) *Chart {
	if len(all) == 0 {
		return nil
	}
	bars := grouped(all)
	c := &Chart{Width: chartWidth, Height: 236, Left: plotLeft, Right: plotRight, Top: 26, Bottom: 196}
	longest := int64(1)
	for _, b := range bars {
		longest = max(longest, b.bytes)
	}
	top := niceAbove(longest)
	plot := float64(c.Bottom - c.Top)
	for i := range 5 {
		c.Grid = append(c.Grid, GridLine{f(float64(c.Bottom) - plot*float64(i)/4), size(top * int64(i) / 4)})
	}
	step, width := slots(len(bars))
	c.turns(bars, step)
	for i, b := range bars {
		x := plotLeft + step*float64(i) + (step-width)/2
		h := max(1, plot*float64(b.bytes)/float64(top))
		kept := min(h, plot*float64(b.kept)/float64(top))
		out := Bar{
			X: f(x), W: f(width), Y: f(float64(c.Bottom) - h), H: f(h), NewH: f(h - kept),
			HitX: f(plotLeft + step*float64(i)), HitW: f(step),
			Class: b.kind, Drift: b.verdict == finding.Drift, Label: label(b),
		}
		if b.shown {
			out.Target = anchor + "-r-" + b.key
		}
		c.Bars = append(c.Bars, out)
		if out.Drift {
			c.mark("drift", "drift", x+width/2, float64(c.Bottom)-h-7)
		} else if b.kind != "first" && b.kind != "extends" && b.kind != "repeats" && b.kind != "prepared" {
			c.mark(b.kind, b.kind, x+width/2, float64(c.Bottom)-h-7)
		}
	}
	c.placeMarks(step)
	c.Summary = fmt.Sprintf("%s in %s; the longest has %s.", counted(len(all), "request", "requests"), counted(len(c.Turns), "turn", "turns"), size(longest))
	if len(bars) < len(all) {
		c.Note = fmt.Sprintf("Each bar stands for up to %d requests and shows the most telling of them.", bars[0].folded+1)
	}
	return c
}

func label(b bar) string {
	s := fmt.Sprintf("request %s: %s, %s; %s", b.key, size(b.bytes), b.words, b.verdict)
	if b.folded > 0 {
		s += fmt.Sprintf(" (and %d more)", b.folded)
	}
	return s
}

// A rawMark is a mark before it is known how much room there is.
type rawMark struct {
	class, text string
	x, y        float64
}

// mark puts a mark above a bar.
func (c *Chart) mark(class, text string, x, y float64) {
	c.marks = append(c.marks, rawMark{class, text, x, y})
}

// placeMarks gives words to the marks where there is room for them. Where bars are
// narrow a mark stands above the plot, with a line to its bar, and a row of bars
// with the same mark gets one.
func (c *Chart) placeMarks(step float64) {
	narrow, room := step < 26, 0.0
	for i := 0; i < len(c.marks); {
		first := c.marks[i]
		n := 1
		for narrow && i+n < len(c.marks) && c.marks[i+n].like(c.marks[i+n-1], step) {
			n++
		}
		if n == 2 {
			n = 1
		}
		m, x, text := Mark{Y: f(first.y), Class: first.class}, first.x, first.text
		if narrow {
			m.Y, m.Guide = f(float64(c.Top-8)), n == 1
		}
		if n > 1 {
			last := c.marks[i+n-1].x
			m.From, m.To = f(x), f(last)
			x, text = (x+last)/2, fmt.Sprintf("%d × %s", n, text)
		}
		m.X = f(x)
		if wide := float64(len(text))*8 + 10; x-wide/2 >= room && x+wide/2 <= plotRight+10 {
			m.Text = text
			room = x + wide/2
		}
		c.Marks = append(c.Marks, m)
		i += n
	}
}

// like reports whether a mark says the same as the one on the bar before.
func (m rawMark) like(before rawMark, step float64) bool {
	return m.class == before.class && m.text == before.text && m.x-before.x < 1.5*step
}

// turns marks which bars belong to one turn.
func (c *Chart) turns(bars []bar, step float64) {
	for from := 0; from < len(bars); {
		to := from
		for to < len(bars) && bars[to].turn == bars[from].turn {
			to++
		}
		x, w := plotLeft+step*float64(from), step*float64(to-from)
		t := TurnSpan{X: f(x), W: f(w), Mid: f(x + w/2), Odd: len(c.Turns)%2 == 1}
		switch {
		case w >= 52:
			t.Text = fmt.Sprintf("turn %d", bars[from].turn)
		case w >= 16:
			t.Text = fmt.Sprintf("%d", bars[from].turn)
		}
		c.Turns = append(c.Turns, t)
		from = to
	}
}

// cacheChart draws, for each request, the share of its prompt that the prompt before
// it started with, which a prefix cache can know, and the share of its tokens that the provider says it read from its cache.
func cacheChart(anchor string, all []bar) *Chart {
	if len(all) < 2 {
		return nil
	}
	bars := grouped(all)
	c := &Chart{Width: chartWidth, Height: 196, Left: plotLeft, Right: plotRight, Top: 26, Bottom: 166}
	plot := float64(c.Bottom - c.Top)
	for i := range 5 {
		c.Grid = append(c.Grid, GridLine{f(float64(c.Bottom) - plot*float64(i)/4), fmt.Sprintf("%d %%", 25*i)})
	}
	step, width := slots(len(bars))
	c.turns(bars, step)
	reported := 0
	for i, b := range bars {
		x := plotLeft + step*float64(i) + (step-width)/2
		kept := plot * float64(b.kept) / float64(max(b.prompt, 1))
		out := Bar{
			X: f(x), W: f(width), Y: f(float64(c.Bottom) - kept), H: f(kept), HitX: f(plotLeft + step*float64(i)), HitW: f(step),
			Class: b.kind, Label: fmt.Sprintf("request %s: %s of its prompt was there before (%s)", b.key, percent(b.kept, b.prompt), b.words),
		}
		if b.reported {
			reported++
			y := float64(c.Bottom) - plot*b.share
			c.Line += f(x+width/2) + "," + f(y) + " "
			c.Dots = append(c.Dots, Dot{f(x + width/2), f(y)})
			out.Label += fmt.Sprintf("; %.0f %% of its tokens read from the cache", b.share*100)
		}
		if b.shown {
			out.Target = anchor + "-r-" + b.key
		}
		c.Bars = append(c.Bars, out)
		switch {
		case b.unexplained:
			c.mark("drift", "unexplained", x+width/2, float64(c.Bottom)-max(kept, plot*b.share)-9)
		case b.broke != "":
			c.mark(b.kind, b.broke, x+width/2, float64(c.Bottom)-kept-7)
		}
	}
	c.placeMarks(step)
	c.Summary = cacheSummary(all)
	if reported == 0 {
		c.Note = "The provider reported no cache reads in this log, so the chart shows what it could have read."
	}
	return c
}

func cacheSummary(bars []bar) string {
	var bytes, kept int64
	broken := 0
	for _, b := range bars {
		if b.prepared {
			continue
		}
		bytes, kept = bytes+b.prompt, kept+b.kept
		if b.broke != "" {
			broken++
		}
	}
	return fmt.Sprintf("Over all requests, %s of the prompts' bytes were the start of the prompt before. %s.", percent(kept, bytes), counted(broken, "request broke the prefix", "requests broke the prefix"))
}

// niceAbove returns a round number that is at least n and divides by four.
func niceAbove(n int64) int64 {
	for unit := int64(1); ; unit *= 10 {
		for _, m := range []int64{4, 6, 8, 10, 12, 16, 20, 24, 32} {
			if m*unit >= n {
				return m * unit
			}
		}
	}
}
