package report

import (
	"bytes"
	"fmt"

	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
	"github.com/dsh-verify/dsh-verify/reconstruct"
)

// A Header is a request/header snapshot that requests on the page carry.
type Header struct {
	Anchor string
	Seq    int64
	Line   string
	Time   string
	Reason string
	Config []Fact
	System *Block // nil: none
	Tools  []*Tool
	// SameSystem and SameTools name the earlier snapshot that has the same ones.
	SameSystem, SameTools Link

	epoch *reconstruct.EpochHeader
}

// A Tool is a tool of a header.
type Tool struct {
	Name        string
	Description *Block
	Parameters  *Block
}

// header adds a header to the page, once.
func (c *collector) header(e *reconstruct.EpochHeader) *Header {
	if h := c.headers[e.Seq]; h != nil {
		return h
	}
	h := &Header{
		Anchor: fmt.Sprintf("%s-h%d", c.session.Anchor, e.Seq), Seq: e.Seq, Line: number(e.Pos.Line), Time: clock(e.Time),
		Reason: c.ink.word(e.Reason), epoch: e,
	}
	for key, value := range e.Config.Members() {
		h.Config = append(h.Config, Fact{c.ink.name(clip(c.ink.redactor.Member(key.Text()), 100)), c.setting(key.Text(), value)})
	}
	if e.System != nil {
		if same := c.sameBefore(e.System, func(o *reconstruct.EpochHeader) ecmajson.Value { return o.System }); same != nil {
			h.SameSystem = Link{same.Anchor, fmt.Sprintf("the snapshot at seq %d", same.Seq)}
		} else {
			h.System = c.block("text", "", textOf(e.System))
		}
	}
	if e.Tools != nil {
		if same := c.sameBefore(e.Tools, func(o *reconstruct.EpochHeader) ecmajson.Value { return o.Tools }); same != nil {
			h.SameTools = Link{same.Anchor, fmt.Sprintf("the snapshot at seq %d", same.Seq)}
		} else {
			h.Tools = c.tools(e.Tools)
		}
	}
	c.headers[e.Seq] = h
	c.session.Headers = append(c.session.Headers, h)
	return h
}

// sameBefore returns the earliest snapshot on the page with the same part.
func (c *collector) sameBefore(value ecmajson.Value, part func(*reconstruct.EpochHeader) ecmajson.Value) *Header {
	for _, h := range c.session.Headers {
		if bytes.Equal(part(h.epoch), value) {
			return h
		}
	}
	return nil
}

// setting is a value of the config. Redacted, the texts are except for those that
// the table of requests shows too.
func (c *collector) setting(key string, value ecmajson.Value) string {
	open := key == "provider" || key == "model"
	if value.Kind() == ecmajson.String && open {
		return c.ink.name(clip(value.Text(), 300))
	}
	if k := value.Kind(); k == ecmajson.Number || k == ecmajson.True || k == ecmajson.False || k == ecmajson.Null {
		return string(value)
	}
	if c.ink.redactor != nil {
		return c.ink.line(textOf(value))
	}
	return c.ink.line(clip(textOf(value), 300))
}

func textOf(v ecmajson.Value) string {
	if v.Kind() == ecmajson.String {
		return v.Text()
	}
	return string(v)
}

func (c *collector) tools(list ecmajson.Value) (tools []*Tool) {
	for v := range list.Elements() {
		t := &Tool{Name: c.ink.line(clip(v.Lookup("name").Text(), 200))}
		if d := v.Lookup("description"); d != nil {
			t.Description = c.block("text", "", textOf(d))
		}
		if p := v.Lookup("parameters"); p != nil {
			t.Parameters = c.block("json", "", string(p))
		}
		tools = append(tools, t)
	}
	if len(tools) == 0 {
		tools = append(tools, &Tool{Name: "(as the log has them)", Description: c.block("text", "", textOf(list))})
	}
	return tools
}
