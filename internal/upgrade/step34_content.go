package upgrade

import (
	"github.com/dsh-verify/dsh-verify/internal/upgrade/jsvalue"
	"github.com/dsh-verify/dsh-verify/logformat"
)

// names3 are the types that the step from format 3 knows.
var names3 = setOf(logformat.Version3.Types()...)

func setOf(names ...string) map[string]bool {
	set := make(map[string]bool, len(names))
	for _, name := range names {
		set[name] = true
	}
	return set
}

// ownKinds are the kinds that format 4 gives to sources of plugins, where another one than
// "plugin:" and the plugin's name.
var ownKinds = map[string]string{
	"compact": "compact-checkpoint", "tools-code-mode": "ptc-mode", "tools-ptc": "ptc-mode", "dsh-compaction-basic": "compact-basic",
	promptPlugin: "runtime-context",
}

// sameKinds are the plugins whose name is the kind.
var sameKinds = setOf(
	"model-selection", "plan-mode", "time-context", "tmux-context", "user-approval", "repeat-tool-reminder", "tool-cordis",
	"cordis-host-runner", "tool-goal", "tool-jobs", "hooks-codex", "hooks-claude-code", "schedule", "dsh-session-title-llm",
)

// kindOf returns the kind of source that format 4 has in place of a plugin.
func kindOf(plugin, role string) string {
	if plugin == promptPlugin && role == "system" {
		return "system-prompt"
	}
	if kind, ok := ownKinds[plugin]; ok {
		return kind
	}
	if sameKinds[plugin] {
		return plugin
	}
	return "plugin:" + plugin
}

// rewriteSources gives the sources of an event's messages a kind of their own.
func rewriteSources(e *Event) (*Event, *Refusal) {
	if !e.Data.IsObject() {
		return e, nil
	}
	for message := range messagesOf(e) {
		source := message.Get("source")
		switch {
		case !source.IsObject():
		case !source.Get("kind").Filled():
			return nil, refuse(logformat.CodePluginSource, StageStep34, "the source of a message has no kind").found(source)
		case source.Get("kind").Is("plugin") && !source.Get("plugin").IsString():
			return nil, refuse(CodePlugin, StageStep34, "the source of a message is a plugin without a name").found(source)
		}
	}
	return mapMessages(e, func(message *jsvalue.Value) *jsvalue.Value {
		source := message.Get("source")
		if !source.Get("kind").Is("plugin") {
			return message
		}
		kind := kindOf(source.Get("plugin").Text(), message.Get("role").Text())
		return message.With("source", source.With("kind", jsvalue.String(kind)).Without("plugin"))
	}), nil
}

// lift makes a message of the role tool of the wrapper that a tool result of format 3 is.
func (s *step34) lift(e *Event) (*Event, *Refusal) {
	message := e.Data.Get("message")
	if e.Type != logformat.TypeToolResult || !message.Get("role").Is("user") {
		return e, nil
	}
	source, callID := message.Get("source"), message.Get("source").Get("callId")
	block := message.Get("content").Item(0)
	isError, content := block.Get("isError"), block.Get("content")
	switch {
	case !message.Get("id").Filled() || !source.Get("kind").Is("tool") || !callID.Filled() || len(message.Get("content").Items()) != 1 ||
		!block.Get("type").Is("tool-result") || !jsvalue.Same(block.Get("toolCallId"), callID):
		return nil, refuse(logformat.CodeMessageBody, StageStep34, "a tool result is not one block of the call that its source names").found(message)
	case isError != nil && !isError.IsBool():
		return nil, refuse(logformat.CodeMessageBody, StageStep34, "isError of a tool result is neither true nor false").found(isError)
	case !content.IsArray():
		return nil, refuse(logformat.CodeMessageBody, StageStep34, "the content of a tool result is no array").found(content)
	}
	for _, inner := range content.Items() {
		if inner.Get("type").Is("tool-result") {
			return nil, refuse(CodeNested, StageStep34, "a tool result holds another one")
		}
	}
	lifted := jsvalue.Object(
		member("role", jsvalue.String("tool")), member("source", source), member("toolCallId", callID), member("content", content),
		member("isError", isError), member("id", message.Get("id")),
	)
	lifted = s.aside(lifted, message, "message", []string{"id", "role", "source", "content"}, e)
	lifted = s.aside(lifted, block, "result", []string{"type", "toolCallId", "content", "isError"}, e)
	return e.withData(e.Data.With("message", lifted)), nil
}

// aside puts the members of a value that format 4 does not know into a message, under names
// that nothing interprets.
func (s *step34) aside(into, from *jsvalue.Value, owner string, known []string, e *Event) *jsvalue.Value {
	for _, m := range from.Without(known...).Members() {
		name := "plugin:" + owner + ":" + m.Key
		into = into.With(name, m.Value)
		s.lost.add(LossName, "tool/result "+owner+"."+m.Key, e.Origin)
	}
	return into
}

var blocks3 = setOf("text", "reasoning", "image", "file", "tool-call", "tool-result")

// content puts blocks of unknown types aside, and refuses what is no block.
func (s *step34) content(e *Event) (*Event, *Refusal) {
	if !e.Data.IsObject() {
		return e, nil
	}
	c := &contents{step: s, event: e}
	next := mapMessages(e, c.inMessage)
	data := next.Data
	switch {
	case e.Type == logformat.TypeCompactionSummary:
		data = c.inMember(data, "summary")
		if data.Has("rawOutput") {
			data = c.inMember(data, "rawOutput")
		}
	case e.Type == logformat.TypeToolPTCDispatch:
		data = c.inMember(data, "content")
	case e.Type == logformat.TypeTeamMessageQueued && data.Get("message").IsObject():
		data = data.With("message", c.inMessage(data.Get("message")))
	case e.Type == logformat.TypeRequestHeader:
		for _, tool := range data.Get("header").Get("tools").Items() {
			if tool.Has("deferLoading") {
				return nil, refuse(CodeDeferred, StageStep34, "a tool of format 3 has deferLoading").found(tool.Get("deferLoading"))
			}
		}
	case (e.Type == logformat.TypeAssistantMessage || e.Type == logformat.TypeAssistantAttempt) && data.Get("stream").IsArray():
		data = c.inStream(data)
	}
	return next.withData(data), c.refusal
}

// contents walks the blocks of one event.
type contents struct {
	step    *step34
	event   *Event
	refusal *Refusal
}

func (c *contents) fail(detail string, got *jsvalue.Value) {
	if c.refusal == nil {
		c.refusal = refuse(logformat.CodeMessageBody, StageStep34, detail).found(got)
	}
}

func (c *contents) inMessage(message *jsvalue.Value) *jsvalue.Value {
	return c.inMember(message, "content")
}

func (c *contents) inMember(v *jsvalue.Value, key string) *jsvalue.Value {
	blocks := v.Get(key)
	if !blocks.IsArray() {
		c.fail("the content of a message is no array", blocks)
		return v
	}
	var mapped []*jsvalue.Value
	for i, block := range blocks.Items() {
		next := c.block(block)
		if next != block && mapped == nil {
			mapped = append(make([]*jsvalue.Value, 0, len(blocks.Items())), blocks.Items()[:i]...)
		}
		if mapped != nil {
			mapped = append(mapped, next)
		}
	}
	if mapped == nil {
		return v
	}
	return v.With(key, jsvalue.Array(mapped...))
}

func (c *contents) block(block *jsvalue.Value) *jsvalue.Value {
	kind := block.Get("type")
	if !kind.IsString() {
		c.fail("a block has no type", block)
		return block
	}
	if blocks3[kind.Text()] {
		return block
	}
	return block.With("type", c.kind(kind))
}

func (c *contents) kind(kind *jsvalue.Value) *jsvalue.Value {
	c.step.lost.add(LossName, "block "+kind.Text(), c.event.Origin)
	return jsvalue.String("plugin:" + kind.Text())
}

func (c *contents) inStream(data *jsvalue.Value) *jsvalue.Value {
	records := make([]*jsvalue.Value, len(data.Get("stream").Items()))
	for i, record := range data.Get("stream").Items() {
		records[i] = record
		chunk := record.Get("chunk")
		if !record.Get("type").Is(plainChunk) || !chunk.IsObject() {
			continue
		}
		switch kind := chunk.Get("blockType"); {
		case chunk.Get("type").Is("block-end"):
			chunk = chunk.With("block", c.block(chunk.Get("block")))
		case !chunk.Get("type").Is("block-start"):
		case !kind.IsString():
			c.fail("the type of a block that starts is no string", kind)
		case !blocks3[kind.Text()]:
			chunk = chunk.With("blockType", c.kind(kind))
		}
		records[i] = record.With("chunk", chunk)
	}
	return data.With("stream", jsvalue.Array(records...))
}
