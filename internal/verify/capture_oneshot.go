package verify

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
	"github.com/dsh-verify/dsh-verify/reconstruct"
	"github.com/dsh-verify/dsh-verify/reconstruct/wire"
)

// A oneshot is a request outside the loop that the log tells of.
type oneshot struct {
	seq     int64
	line    int64
	what    string
	model   string
	found   bool
	whole   bool        // the log determines all of it; otherwise all but the last message
	variant [][2][]byte // its body before and behind the instruction, by policy
}

// instruction stands in a compaction's body where its last message goes.
const instruction = "dsh-verify:the-instruction-is-not-in-the-log:5c1d"

// oneshot notes a request outside the loop.
func (t *traffic) oneshot(q *reconstruct.Oneshot) {
	o := &oneshot{seq: q.Seq, line: q.Pos.Line, what: string(q.Kind), whole: q.Hole() == ""}
	t.oneshots = append(t.oneshots, o)
	if !q.Known() {
		return
	}
	message := ecmajson.Value(`{"role":"user","content":[{"type":"text","text":"` + instruction + `"}]}`)
	canonical, _, err := ecmajson.Canonical(q.Append(nil, message))
	if err != nil {
		return
	}
	o.model = ecmajson.Value(canonical).Lookup("model").Text()
	for _, policy := range t.policies(nil) {
		b := wire.NewBuilder(policy, nil)
		if body, err := b.DeepSeek(wire.JSON(canonical)); err == nil {
			before, after, _ := bytes.Cut(body.Bytes(), []byte(instruction))
			o.variant = append(o.variant, [2][]byte{before, after})
		}
	}
}

// act counts the compactions that this session started.
func (t *traffic) act(session *reconstruct.Session) {
	if a := session.Act(); a.Side.Begins && !session.Inherited(a.Event.Seq) {
		t.starts++
	}
}

// matches reports whether a body is the one-shot's, as far as the log says. What the
// log does not hold is inside of one string.
func (o *oneshot) matches(text []byte) bool {
	for _, v := range o.variant {
		if o.whole && bytes.Equal(text, v[0]) {
			return true
		}
		if !o.whole && len(text) > len(v[0])+len(v[1]) && bytes.HasPrefix(text, v[0]) && bytes.HasSuffix(text, v[1]) {
			return isInside(text[len(v[0]) : len(text)-len(v[1])])
		}
	}
	return false
}

// isInside reports whether a text is the inside of one JSON string.
func isInside(text []byte) bool {
	quoted := slices.Concat([]byte(`"`), text, []byte(`"`))
	end, form, ok := ecmajson.ConsumeString(quoted, 0)
	return ok && end == len(quoted) && form&ecmajson.InvalidUTF8 == 0
}

func (t *traffic) closeOneshots(r *run, place finding.Place) {
	for _, o := range t.oneshots {
		for _, p := range t.bodies {
			if p.taken || p.text == nil || !o.matches(p.text) {
				continue
			}
			p.taken, o.found = true, true
			what := fmt.Sprintf("%s of seq %d is %s", o.what, o.seq, p.Name)
			if !o.whole {
				what += ", all but its final instruction compared"
			}
			r.note(finding.CaptureOneshot, what, place)
			break
		}
	}
	t.oneshotDrift(r, place)
	if t.untold() == 0 {
		return // nothing explains another compaction
	}
	for _, p := range t.bodies {
		if !p.taken && p.Compact && p.text != nil {
			p.taken = true
			r.note(finding.CaptureOneshotUnverified, p.Name+" is a compaction by its header", place)
		}
	}
}

// untold is the number of compactions that were started and whose bodies the log does
// not tell of, because they failed.
func (t *traffic) untold() int {
	n := t.starts
	for _, o := range t.oneshots {
		if o.what == string(reconstruct.CompactionOneshot) && len(o.variant) > 0 {
			n--
		}
	}
	return max(0, n)
}

// oneshotDrift pairs the compactions that the log tells of and that no body equals
// with the bodies that say they are compactions of the same model, in order. Where
// compactions failed, a body may be of one of those, and nothing is said.
func (t *traffic) oneshotDrift(r *run, place finding.Place) {
	var left []*posted
	for _, p := range t.bodies {
		if !p.taken && p.Compact && p.text != nil {
			left = append(left, p)
		}
	}
	told := 0
	for _, o := range t.oneshots {
		if o.what == string(reconstruct.CompactionOneshot) {
			told++
		}
	}
	if len(left) <= t.starts-told {
		return
	}
	for _, o := range t.oneshots {
		if o.found || o.whole || len(o.variant) == 0 {
			continue
		}
		i := slices.IndexFunc(left, func(p *posted) bool { return modelOf(p.text) == o.model })
		if i < 0 {
			continue
		}
		p := left[i]
		left = slices.Delete(left, i, i+1)
		p.taken = true
		at, rebuilt := o.differs(p.text)
		headline, pointer := whereAt(rebuilt, int64(at), t.redact)
		where := place
		where.Seq, where.Offset, where.Pointer = o.seq, int64(at), pointer
		f := finding.New(finding.CaptureOneshotDrift, fmt.Sprintf("%s of seq %d, %s byte %d: %s", o.what, o.seq, p.Name, at, headline), where)
		f.Cause = &finding.Place{File: r.log.File, Session: t.session, Line: o.line, Seq: o.seq}
		f.Detail = []string{"captured " + t.around(p.text, int64(at)), "log      " + t.around(rebuilt, int64(at))}
		r.add(f)
		r.worse(finding.Drift)
	}
}

func modelOf(body []byte) string {
	if _, err := ecmajson.Check(body); err != nil {
		return ""
	}
	return ecmajson.Value(bytes.TrimSpace(body)).Lookup("model").Text()
}

// differs returns where a body parts from the variant that explains most of it,
// and that variant.
func (o *oneshot) differs(text []byte) (at int, rebuilt []byte) {
	best := -1
	for _, v := range o.variant {
		whole := slices.Concat(v[0], []byte(instruction), v[1])
		n := 0
		for n < min(len(v[0]), len(text)) && v[0][n] == text[n] {
			n++
		}
		if n == len(v[0]) { // the instruction is the capture's own; what follows it differs
			back := 0
			for back < min(len(v[1]), len(text)-n) && v[1][len(v[1])-1-back] == text[len(text)-1-back] {
				back++
			}
			n = len(whole) - back - 1
		}
		if n > best {
			best, rebuilt = n, whole
		}
	}
	return best, rebuilt
}
