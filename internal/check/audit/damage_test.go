package audit_test

import (
	"strings"
	"testing"
)

// unnoticed are the events that may go missing without a trace in the log itself,
// because nothing else repeats what they say.
var unnoticed = []string{`{"type":"request/header"`, `{"type":"request/context"`}

// TestEventGone takes out each event of some logs in turn. The audit gets through,
// and it says something unless nothing else in the log depends on the event.
func TestEventGone(t *testing.T) {
	for _, dir := range []string{"tools-parallel", "crash-torn-line", "scripted-replay-state", "max-tokens-empty-content", "compaction-pressure", "header-changes", "inject-and-steer"} {
		whole := readText(t, dir)
		for i := 1; i < len(whole.lines); i++ {
			line := whole.lines[i]
			if strings.Contains(line, `"seq0":`) {
				continue
			}
			_, after, _ := strings.Cut(line, `"seq":`)
			seq := 0
			for _, c := range after {
				if c < '0' || c > '9' {
					break
				}
				seq = seq*10 + int(c-'0')
			}
			x := &text{t, append([]string{}, whole.lines...)}
			gone(seq)(x)
			found, err := auditText(x)
			if err == nil && len(found) == 0 && !mayGo(line) {
				t.Errorf("%s: nobody misses seq %d: %.120s", dir, seq, line)
			}
		}
	}
}

func mayGo(line string) bool {
	for _, t := range unnoticed {
		if strings.Contains(line, t) {
			return true
		}
	}
	return false
}

// TestMemberChanged changes digits and letters all over some logs. The audit gets
// through whatever it is given.
func TestMemberChanged(t *testing.T) {
	for _, dir := range []string{"tools-parallel", "crash-torn-line", "scripted-replay-state"} {
		whole := readText(t, dir)
		for i := 1; i < len(whole.lines); i++ {
			for _, change := range [][2]string{{`":1`, `":-1`}, {`":1`, `":null`}, {`":[`, `":[null,`}, {`":{`, `":{"x":`}, {`"data":{`, `"data":{"data":{},`}, {`"type":"text"`, `"type":7`}, {`"content":[`, `"content":[7,`}, {`"index":`, `"index":1e`}, {`"kind"`, `"Kind"`}} {
				if strings.Contains(whole.lines[i], change[0]) {
					x := &text{t, append([]string{}, whole.lines...)}
					x.lines[i] = strings.Replace(x.lines[i], change[0], change[1], 1)
					_, _ = auditText(x)
				}
			}
		}
	}
}
