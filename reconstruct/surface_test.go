package reconstruct_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/reconstruct"
)

// turnOpen begins a log of surface events.
const turnOpen = `
	turn 1
	step 1.1
`

// TestSurface is section 5 of the format: what is on the surface after a log, by the
// names that the log gives its lines.
func TestSurface(t *testing.T) {
	for _, c := range []struct{ name, log, want string }{
		{"empty", ``, ``},
		{"append", `
			a: user "a"
			b: assistant "b"
			call c look
			c: result c "c"`, `a b c`},
		{"log-only events are not on it", `
			a: user "a"
			header gpt
			context
			chunk
			title`, `a`},
		{"an assistant message without content is", `
			a: user "a"
			b: assistant empty`, `a b`},
		{"replace of the only node", `
			a: user "a"
			x: user "x" over a`, `x`},
		{"of the first", `
			a: user "a"
			b: user "b"
			x: user "x" over a`, `x b`},
		{"of the last", `
			a: user "a"
			b: user "b"
			x: user "x" over b`, `a x`},
		{"of a run in the middle", `
			a: user "a"
			b: user "b"
			c: assistant "c"
			d: user "d"
			x: user "x" over b..c`, `a x d`},
		{"of everything", `
			a: user "a"
			b: assistant "b"
			x: user "x" over a..b
			c: user "c"`, `x c`},
		{"of a replacement", `
			a: user "a"
			b: user "b"
			x: user "x" over a
			y: user "y" over x`, `y b`},
		{"by an assistant message", `
			a: user "a"
			x: assistant "x" over a`, `x`},
		{"the start may be the larger number, where the surface has them so", `
			a: user "a"
			b: user "b"
			x: user "x" over a
			y: user "y" over x..b cites x,b`, `y`},
		{"more sources than it shadows", `
			a: user "a"
			b: user "b"
			x: user "x" over b cites a,b`, `a x`},
		{"a tool result replaces a tool result", `
			call c look
			r: result c "long" id="r"
			x: result c "short" over r id="r"`, `x`},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := foldText(t, turnOpen+c.log)
			if f.refusal != nil {
				t.Fatal(f.refusal)
			}
			if got := f.named(f.session.Surface().Seqs()); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
			f.checkSurface(t)
		})
	}
}

// named gives event numbers the names of the log.
func (f *folded) named(seqs []int64) string {
	var list []string
	for _, seq := range seqs {
		name := fmt.Sprint(seq)
		for n, s := range f.log.Seq {
			if s == seq {
				name = n
			}
		}
		list = append(list, name)
	}
	return strings.Join(list, " ")
}

// checkSurface compares what the surface says of itself in several ways.
func (f *folded) checkSurface(t *testing.T) {
	t.Helper()
	s := f.session.Surface()
	seqs := s.Seqs()
	if s.Len() != len(seqs) {
		t.Errorf("Len is %d of %d nodes", s.Len(), len(seqs))
	}
	i := 0
	for m := s.First(); m != nil; m = m.Next() {
		if m.Seq != seqs[i] || s.Node(m.Seq) != m {
			t.Errorf("node %d is seq %d, and Seqs has %d", i, m.Seq, seqs[i])
		}
		for _, seq := range m.Shadowed {
			if s.Node(seq) != nil {
				t.Errorf("seq %d was replaced and is still on the surface", seq)
			}
		}
		i++
	}
}

// TestSurfaceRefuses are the replaces that cannot be.
func TestSurfaceRefuses(t *testing.T) {
	for _, c := range []struct {
		name, log string
		code      logformat.Code
		detail    string
	}{
		{"a start that is not on the surface", `
			x: title
			a: user "a"
			user "x" over x..a cites a`, logformat.CodeReplaceMissing, "start seq 2"},
		{"an end that is not on the surface", `
			a: user "a"
			x: title
			user "x" over a..x cites a`, logformat.CodeReplaceMissing, "end seq 3"},
		{"a start that was replaced", `
			a: user "a"
			b: user "b"
			user "x" over a
			user "y" over a..b cites a,b`, logformat.CodeReplaceMissing, "start seq 2"},
		{"an end that was replaced", `
			a: user "a"
			b: user "b"
			user "x" over b
			user "y" over a..b cites a,b`, logformat.CodeReplaceMissing, "end seq 3"},
		{"reversed", `
			a: user "a"
			b: user "b"
			user "x" over b..a`, logformat.CodeReplaceReversed, "start seq 3 lies after end seq 2"},
		{"reversed in the surface's order, ascending in number", `
			a: user "a"
			b: user "b"
			x: user "x" over a
			user "y" over b..x cites b,x`, logformat.CodeReplaceReversed, "start seq 3 lies after end seq 4"},
		{"the source of the start is missing", `
			a: user "a"
			b: user "b"
			user "x" over a..b cites b`, logformat.CodeReplaceSources, "sourceEventSeqs omits seq 2"},
		{"the source of the end is missing", `
			a: user "a"
			b: user "b"
			user "x" over a..b cites a`, logformat.CodeReplaceSources, "sourceEventSeqs omits seq 3"},
		{"the source of a node in between is missing", `
			a: user "a"
			b: user "b"
			c: user "c"
			user "x" over a..c cites c,a`, logformat.CodeReplaceSources, "sourceEventSeqs omits seq 3"},
		{"a source of what the node took the place of is not one of the node", `
			a: user "a"
			x: user "x" over a
			user "y" over x cites a`, logformat.CodeReplaceSources, "sourceEventSeqs omits seq 3"},
		{"a tool result over two nodes", `
			call c look
			call d look
			r: result c "r"
			s: result d "s"
			result c "x" over r..s`, logformat.CodeReplaceToolTarget, "it replaces 2 events, the first a tool/result"},
		{"a tool result over a user message", `
			call c look
			a: user "a"
			result c "x" over a`, logformat.CodeReplaceToolTarget, "it replaces 1 events, the first a user/message"},
		{"a tool result of another call", `
			call c look
			r: result c "r" id="r"
			result d "r" over r id="r"`, logformat.CodeReplaceToolEdit, ""},
		{"a tool result with another id", `
			call c look
			r: result c "r"
			result c "x" over r id="other"`, logformat.CodeReplaceToolEdit, ""},
		{"a tool result with a member more", `
			call c look
			r: result c "r" id="r"
			result c "x" over r id="r" meta=1`, logformat.CodeReplaceToolEdit, ""},
		{"a tool result with a member less", `
			call c look
			r: result c "r" id="r" meta=1
			result c "x" over r id="r"`, logformat.CodeReplaceToolEdit, ""},
		{"a tool result with another value of a member", `
			call c look
			r: result c "r" id="r" meta={"a":1}
			result c "x" over r id="r" meta={"a":2}`, logformat.CodeReplaceToolEdit, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := foldText(t, turnOpen+c.log)
			if f.refusal == nil {
				t.Fatal("accepted")
			}
			if f.refusal.Code != c.code || f.refusal.Detail != c.detail || f.refusal.Phase != logformat.PhaseEvents {
				t.Errorf("%s %q in phase %d, want %s %q", f.refusal.Code, f.refusal.Detail, f.refusal.Phase, c.code, c.detail)
			}
			if f.refusal.Seq != lastSeq(f) || f.refusal.Pos.Line == 0 {
				t.Errorf("placed at seq %d, line %d", f.refusal.Seq, f.refusal.Pos.Line)
			}
		})
	}
}

// lastSeq is the number of a log's last event: it has a line for each, and the header line.
func lastSeq(f *folded) int64 {
	return int64(strings.Count(string(f.log.Text), "\n")) - 2
}

// TestRefusedReplaceChangesNothing: the surface is as it was.
func TestRefusedReplaceChangesNothing(t *testing.T) {
	f := foldText(t, turnOpen+`
		a: user "a"
		b: user "b"
		user "x" over a..b cites a`)
	if got := f.named(f.session.Surface().Seqs()); f.refusal == nil || got != "a b" {
		t.Errorf("refusal %v, surface %s", f.refusal, got)
	}
}

// TestToolReplaceMayReorder: members are compared by name and value.
func TestToolReplaceMayReorder(t *testing.T) {
	f := foldText(t, turnOpen+`
		r: result c "r" id="r" meta={"a":1,"b":2}
		result c "x" over r id="r" meta={"b":2,"a":1}`)
	if f.refusal != nil {
		t.Error(f.refusal)
	}
}

// TestReplacements is what a replacing node remembers.
func TestReplacements(t *testing.T) {
	f := foldText(t, turnOpen+`
		a: user "a"
		b: user "b"
		compaction start
		s: compaction summary a..b
		x: user "x" over a..b cites s,a,b
		compaction end
		r: result c "r" id="r"
		prune r
		y: result c "y" over r id="r"
		compaction start
		z: user "z" over x..y cites x,y`)
	if f.refusal != nil {
		t.Fatal(f.refusal)
	}
	m := f.session.Surface().First()
	if m.By != reconstruct.ByOther || f.named(m.Shadowed) != "x y" || f.named(m.Sources) != "x y" {
		t.Errorf("z: by %s over %s of %s", m.By, f.named(m.Shadowed), f.named(m.Sources))
	}
}

// TestWhatReplaced is known from the record right before the replacing event.
func TestWhatReplaced(t *testing.T) {
	for _, c := range []struct {
		name, log string
		want      reconstruct.ReplaceKind
	}{
		{"a summary", `
			compaction start
			compaction summary a
			x: user "x" over a`, reconstruct.ByCompaction},
		{"a pruning", `
			prune a
			x: user "x" over a`, reconstruct.ByPruning},
		{"a summary with something in between", `
			compaction start
			compaction summary a
			title
			x: user "x" over a`, reconstruct.ByOther},
		{"a pruning with a row of chunks in between", `
			prune a
			chunks 3
			x: user "x" over a`, reconstruct.ByOther},
		{"nothing", `x: user "x" over a`, reconstruct.ByOther},
	} {
		f := foldText(t, turnOpen+"a: user \"a\"\nheader gpt\n"+c.log)
		if m := f.session.Surface().Node(f.log.Seq["x"]); m == nil || m.By != c.want {
			t.Errorf("%s: %+v", c.name, m)
		}
	}
}

// TestMessagesOfTheSurface is what the model sees of each node.
func TestMessagesOfTheSurface(t *testing.T) {
	f := foldText(t, turnOpen+`
		user "a" id="a"
		assistant "b" id="b"
		assistant empty
		result c "" id="c"
		raw {"type":"user/message","seq":6,"time":1,"data":{"id":"e","role":"user","source":{"kind":"x"},"content":[],"extra":1},"surfaceOp":"append"}
		header gpt
		chunk`)
	want := []string{
		`{"id":"a","role":"user","source":{"kind":"user"},"content":[{"type":"text","text":"a"}]}`,
		`{"id":"b","role":"assistant","source":{"kind":"model","provider":"p","model":"m"},"content":[{"type":"text","text":"b"}]}`,
		`{"id":"c","role":"user","source":{"kind":"tool","callId":"c"},"content":[{"type":"tool-result","toolCallId":"c","content":[{"type":"text","text":""}],"isError":false}]}`,
		`{"id":"e","role":"user","source":{"kind":"x"},"content":[],"extra":1}`,
	}
	var got []string
	for m := f.session.Surface().First(); m != nil; m = m.Next() {
		if m.Bytes != nil {
			got = append(got, string(m.Bytes))
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("\n got %s\nwant %s", strings.Join(got, "\n     "), strings.Join(want, "\n     "))
	}
}
