package report

import (
	"fmt"
	"strings"

	"github.com/dsh-verify/dsh-verify/internal/provenance"
	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
	"github.com/dsh-verify/dsh-verify/objectstore"
)

// A Message is a message on the page: what the model saw, and where it comes from.
type Message struct {
	Anchor  string
	Seq     int64
	Line    string
	Offset  string
	Time    string
	Event   string
	Role    string
	Class   string // user, assistant, tool or other: its colour
	Source  string
	How     string
	Since   Link
	Size    string
	Preview string
	Blocks  []*Block
}

// A Block is a block of a message's content.
type Block struct {
	Kind  string // text, reasoning, tool-call, tool-result, image or what the log says
	Title string
	Image Link // of an image: its attachment
	Error bool // of a tool result

	full   string
	beyond int    // bytes of the text that full does not hold
	Text   string // what of full is on the page
	More   string // how much is not
}

// maxHeld bounds what of one text is held, whatever the budget of the page.
const maxHeld = 64 << 10

// add puts a message on the page, once.
func (c *collector) add(p provenance.Part) *Message {
	if m := c.messages[p.Seq]; m != nil {
		return m
	}
	m := &Message{
		Anchor: fmt.Sprintf("%s-m%d", c.session.Anchor, p.Seq),
		Seq:    p.Seq, Line: number(p.Line), Offset: number(p.Offset), Time: clock(p.Time), Event: p.Event,
		Role: c.ink.name(p.Role), Source: c.ink.name(p.Source), How: p.How, Size: size(int64(len(p.Value))),
	}
	m.Blocks = c.blocks(p.Value.Lookup("content"))
	m.Class = classOf(p.Role, m.Blocks)
	m.Preview = preview(m.Blocks)
	if p.Since != "" {
		m.Since = c.requestLink(p.Since, p.Since)
	}
	c.messages[p.Seq] = m
	c.session.Messages = append(c.session.Messages, m)
	return m
}

func classOf(role string, blocks []*Block) string {
	for _, b := range blocks {
		if b.Kind == "tool-result" {
			return "tool"
		}
	}
	switch role {
	case "user", "assistant", "tool":
		return role
	}
	return "other"
}

// preview is a message in one line.
func preview(blocks []*Block) string {
	var parts []string
	for _, b := range blocks {
		text := strings.Join(strings.Fields(clip(b.full, 200)), " ")
		if b.Kind != "text" && b.Title != "" {
			text = b.Title + " " + text
		}
		if text != "" {
			parts = append(parts, text)
		}
	}
	if len(parts) == 0 {
		return "(empty)"
	}
	return clip(strings.Join(parts, " · "), 160)
}

// blocks returns the blocks of a message's content, those inside a tool result
// after it.
func (c *collector) blocks(content ecmajson.Value) (list []*Block) {
	if content.Kind() == ecmajson.String {
		return []*Block{c.block("text", "", content.Text())}
	}
	for v := range content.Elements() {
		kind := v.Lookup("type").Text()
		switch kind {
		case "text":
			list = append(list, c.block(kind, "", v.Lookup("text").Text()))
		case "reasoning":
			list = append(list, c.block(kind, "reasoning", v.Lookup("text").Text()))
		case "tool-call":
			list = append(list, c.block(kind, "call "+c.ink.line(v.Lookup("name").Text())+" "+c.ink.line(v.Lookup("id").Text()), v.Lookup("arguments").Text()))
		case "tool-result":
			list = append(list, c.result(v)...)
		case "image":
			list = append(list, c.image(v))
		default:
			list = append(list, c.block("other", c.ink.word(kind), string(v)))
		}
	}
	return list
}

func (c *collector) block(kind, title, text string) *Block {
	held, _ := cut(text, maxHeld)
	b := &Block{Kind: kind, Title: title, full: c.ink.text(held)}
	if c.ink.redactor != nil {
		b.full = c.ink.text(text)
	} else if more := len(text) - len(held); more > 0 {
		b.beyond = more
	}
	return b
}

// result returns the blocks of a tool result.
func (c *collector) result(v ecmajson.Value) (list []*Block) {
	id := v.Lookup("callId").Text()
	if id == "" {
		id = v.Lookup("toolCallId").Text()
	}
	title := "result"
	if id == "" {
		id = v.Lookup("id").Text()
	}
	if id != "" {
		title += " of " + c.ink.line(id)
	}
	failed := v.Lookup("isError").Kind() == ecmajson.True
	if failed {
		title += ", an error"
	}
	inner := c.blocks(v.Lookup("content"))
	if len(inner) == 0 {
		inner = []*Block{c.block("text", "", "")}
	}
	for i, b := range inner {
		if b.Kind == "text" {
			b.Kind = "tool-result"
		}
		if i == 0 {
			b.Title, b.Error = strings.TrimSpace(title+" "+b.Title), failed
		}
	}
	return inner
}

func (c *collector) image(v ecmajson.Value) *Block {
	b := &Block{Kind: "image", Title: "image"}
	ref, failure := objectstore.ParseReference(v.Lookup("attachment"))
	if failure != nil {
		return c.block("image", "image", string(v))
	}
	name := ""
	if ref.Name != "" {
		name = c.ink.line(clip(ref.Name, 100)) + ", "
	}
	b.full = fmt.Sprintf("%s%s, %d × %d, %s", name, c.ink.name(ref.MediaType), ref.Width, ref.Height, size(ref.Bytes))
	b.Image = Link{c.attachment(ref).Anchor, "attachment " + shortID(ref.AttachmentID)}
	return b
}
