package authored

import (
	"bytes"
	"strconv"

	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

// The codes of authored transcripts.
const (
	CodeMixed   logformat.Code = "authored/mixed"
	CodeSidecar logformat.Code = "authored/sidecar"
)

// Codes describes the refusals of authored transcripts.
func Codes() []logformat.CodeInfo {
	return []logformat.CodeInfo{
		{Code: CodeMixed, Class: logformat.Corrupt, Meaning: "a transcript is either authored, and no line has an event number or a time, or a complete log, in which each has both", Action: "Remove seq, time, seq0 and time0 from the line, or put them on all."},
		{Code: CodeSidecar, Class: logformat.Corrupt, Meaning: "the sidecar does not hold what the transcript takes from it", Action: "Write the sidecar again with what wrote the transcript."},
	}
}

// The tokens.
const (
	cwdToken    = "{{cwd}}"
	systemToken = `"{{system}}"`
	toolsToken  = `"{{tools}}"`
)

// Is tells an authored transcript by its first two lines: the second is an
// object with a type and no event number. A header alone is one when its cwd is
// the token.
func Is(first, second []byte) bool {
	header, ok := parse(first)
	if !ok || !header.Lookup("type").Value().Is("session") {
		return false
	}
	line, ok := parse(second)
	if !ok {
		return len(bytes.TrimSpace(second)) == 0 && hasToken(header)
	}
	return line.Lookup("type").Kind() == ecmajson.String && numbered(line) == ""
}

func hasToken(header ecmajson.Node) bool {
	return bytes.HasPrefix(header.Lookup("cwd").Value(), []byte(`"`+cwdToken))
}

// numbered returns the member that an authored line does not have, "" when it
// has none.
func numbered(line ecmajson.Node) string {
	for _, key := range []string{"seq", "time", "seq0", "time0"} {
		if line.Lookup(key).Kind() != ecmajson.Absent {
			return key
		}
	}
	return ""
}

func parse(text []byte) (ecmajson.Node, bool) {
	canonical, err := ecmajson.AppendParsed(nil, text)
	if err != nil {
		return ecmajson.Node{}, false
	}
	x := new(ecmajson.Index)
	if _, err := x.Check(canonical); err != nil {
		return ecmajson.Node{}, false
	}
	return x.Root(), x.Root().Kind() == ecmajson.Object
}

// A Log is the complete log that a transcript stands for.
type Log struct {
	Text []byte
	// Taken and Left count the tokens that sidecars replaced and those that stayed.
	Taken, Left int
}

// Complete returns the log that an authored transcript stands for. The error is
// a [*logformat.Refusal] of a line that is not authored, or of a sidecar that does
// not fit.
func Complete(transcript []byte, side Sidecars) (*Log, error) {
	c := &completion{log: &Log{Text: make([]byte, 0, len(transcript)+len(transcript)/8)}}
	if side.System != nil {
		c.system = parsePrompts(side.System)
	}
	if side.Tools != nil {
		var fault string
		if c.tools, fault = parseTools(side.Tools); fault != "" {
			return nil, &logformat.Refusal{Code: CodeSidecar, Phase: logformat.PhaseContainer, Seq: -1, Detail: "tool schemas: " + fault}
		}
	}
	for len(transcript) > 0 {
		line := transcript
		if end := bytes.IndexByte(transcript, '\n'); end >= 0 {
			line = transcript[:end+1]
		}
		if err := c.add(line); err != nil {
			return nil, err
		}
		transcript = transcript[len(line):]
	}
	return c.log, nil
}

type completion struct {
	log     *Log
	system  *prompts
	tools   *toolLists
	line    int64
	offset  int64
	seq     int64
	headers int // request/header events so far
	changes int // those with the reason change
}

func (c *completion) refuse(code logformat.Code, detail string) error {
	return &logformat.Refusal{
		Code: code, Phase: logformat.PhaseLines, Seq: c.seq, Detail: detail,
		Pos: logformat.Position{Line: c.line, Offset: c.offset},
	}
}

// add completes one line, which has its line feed if it had one.
func (c *completion) add(line []byte) error {
	c.line++
	defer func() { c.offset += int64(len(line)) }()
	text := bytes.TrimSuffix(line, []byte("\n"))
	root, ok := parse(text)
	if !ok {
		c.log.Text = append(c.log.Text, line...)
		return nil
	}
	var err error
	if c.line == 1 {
		c.header(root)
	} else {
		err = c.record(root)
	}
	if len(text) < len(line) {
		c.log.Text = append(c.log.Text, '\n')
	}
	return err
}

// header copies the first line and makes its cwd absolute.
func (c *completion) header(root ecmajson.Node) {
	text := root.Value()
	if hasToken(root) {
		start, _ := root.Lookup("cwd").Span()
		c.splice(text[:start+1], "/", text[start+1:])
		return
	}
	c.splice(text)
}

func (c *completion) splice(parts ...any) {
	for _, part := range parts {
		switch p := part.(type) {
		case string:
			c.log.Text = append(c.log.Text, p...)
		case ecmajson.Value:
			c.log.Text = append(c.log.Text, p...)
		}
	}
}

// record numbers an event or a row.
func (c *completion) record(root ecmajson.Node) error {
	if key := numbered(root); key != "" {
		return c.refuse(CodeMixed, "it has "+strconv.Quote(key))
	}
	seq, time, count := `"seq":`, `"time":0`, int64(1)
	eventType := root.Lookup("type").Value()
	data := root.Lookup("data")
	payload := ""
	switch {
	case eventType.Is("text-chunks"), eventType.Is("reasoning-chunks"):
		payload = "texts"
	case eventType.Is("tool-call-chunks"):
		payload = "args"
	}
	edits := []edit{}
	if payload != "" {
		seq, time = `"seq0":`, `"time0":0`
		members := data.Lookup(payload).Value().Len()
		count = max(1, int64(members))
		if data.Kind() == ecmajson.Object && data.Lookup("dt").Kind() == ecmajson.Absent {
			_, end := data.Span()
			edits = append(edits, edit{end - 1, end - 1, zeros(members, data.Value().Len() > 0)})
		}
	}
	if eventType.Is(logformat.TypeRequestHeader) {
		tokens, err := c.tokens(data)
		if err != nil {
			return err
		}
		edits = tokens
	}
	at, before, after := 1, "", ","
	if member := root.Lookup("type"); member.Kind() != ecmajson.Absent {
		_, at = member.Span()
		before, after = ",", ""
	} else if root.Value().Len() == 0 {
		after = ""
	}
	numbers := edit{at, at, before + seq + strconv.FormatInt(c.seq, 10) + "," + time + after}
	c.apply(root.Value(), append([]edit{numbers}, edits...))
	c.seq += count
	return nil
}

// zeros is the dt of a row with a number of members.
func zeros(members int, comma bool) string {
	text := bytes.TrimSuffix(bytes.Repeat([]byte("0,"), max(0, members-1)), []byte(","))
	out := `"dt":[` + string(text) + `]`
	if comma {
		return "," + out
	}
	return out
}

// An edit replaces a span of a line.
type edit struct {
	start, end int
	text       string
}

// apply appends a line with its edits, which may stand in any order but do not
// overlap.
func (c *completion) apply(line ecmajson.Value, edits []edit) {
	for at := 0; ; {
		var next *edit
		for i := range edits {
			if e := &edits[i]; e.start >= at && (next == nil || e.start < next.start) {
				next = e
			}
		}
		if next == nil {
			c.splice(line[at:])
			return
		}
		c.splice(line[at:next.start], next.text)
		if at = next.end; next.end == next.start {
			next.start = -1 // an insertion is done
		}
	}
}

// tokens replaces what stands for system prompt and tools in a request/header.
func (c *completion) tokens(data ecmajson.Node) (edits []edit, err error) {
	c.headers++
	change := 0
	if data.Lookup("reason").Is("change") {
		c.changes++
		change = c.changes
	}
	if c.headers == 1 {
		change = 0
	}
	header := data.Lookup("header")
	if system := header.Lookup("system"); string(system.Value()) == systemToken {
		if c.system == nil {
			c.log.Left++
		} else {
			edits = append(edits, replace(system, string(c.system.of(change))))
		}
	}
	if tools := header.Lookup("tools"); string(tools.Value()) == toolsToken {
		if c.tools == nil {
			c.log.Left++
		} else {
			list, fault := c.tools.of(change)
			if fault != "" {
				return nil, c.refuse(CodeSidecar, "tool schemas: "+fault)
			}
			edits = append(edits, replace(tools, string(list)))
		}
	}
	c.log.Taken += len(edits)
	return edits, nil
}

func replace(n ecmajson.Node, text string) edit {
	start, end := n.Span()
	return edit{start, end, text}
}
