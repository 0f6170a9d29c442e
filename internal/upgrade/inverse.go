package upgrade

import (
	"strings"

	"github.com/dsh-verify/dsh-verify/internal/upgrade/jsvalue"
)

// Earlier returns a request that was rebuilt from an upgraded log in the shape in which the
// release of an earlier format sent it, so that it can be compared with what was sent then. from
// is the format of the log that it was rebuilt from, 3 or 4; to is the earlier one, 0 to 3.
// Config, tools, ids and the order of messages stay.
//
// The tool history is dropped. Down to format 2 the system message becomes the member system,
// right after messages. From format 4 tool messages become user messages with one tool-result
// block, and sources of plugins get their plugin back.
//
// A source whose kind format 4 has as any plugin's own name, and which is none of the known
// ones, was either a kind already or a plugin of that name: it stays, and only a log of the
// earlier format tells. Messages of logs without identity had another order of members.
func Earlier(request *jsvalue.Value, from, to int64) *jsvalue.Value {
	request = request.Without("toolHistory")
	messages := request.Get("messages")
	system, items := (*jsvalue.Value)(nil), make([]*jsvalue.Value, 0, len(messages.Items()))
	for _, message := range messages.Items() {
		if to < 3 && message.Get("role").Is("system") {
			if text := message.Get("content").Item(0).Get("text"); text.Filled() {
				system = text
			}
			continue
		}
		if from > 3 {
			message = earlierMessage(message, to)
		}
		items = append(items, message)
	}
	members := make([]jsvalue.Member, 0, len(request.Members())+1)
	for _, m := range request.Members() {
		if m.Key == "messages" {
			members = append(members, member("messages", jsvalue.Array(items...)), member("system", system))
			continue
		}
		members = append(members, m)
	}
	return jsvalue.Object(members...)
}

func earlierMessage(message *jsvalue.Value, to int64) *jsvalue.Value {
	if message.Get("role").Is("tool") {
		return wrapped(message)
	}
	if plugin := pluginOf(message, to); plugin != "" {
		message = message.With("source", withPlugin(message.Get("source"), plugin))
	}
	return message
}

// wrapped returns a message of the role tool as the user's message that it was: with the order
// of members that the loop gave it, or the other one that a repair gave it.
func wrapped(message *jsvalue.Value) *jsvalue.Value {
	closer := strings.HasPrefix(message.Get("id").Text(), "interrupted-tool-result-")
	call, content, isError := member("toolCallId", message.Get("toolCallId")), member("content", message.Get("content")), member("isError", message.Get("isError"))
	members := []jsvalue.Member{member("type", jsvalue.String("tool-result")), call, content, isError}
	if closer {
		members = []jsvalue.Member{members[0], call, isError, content}
	}
	block := restored(jsvalue.Object(members...), message, "plugin:result:")
	id, role := member("id", message.Get("id")), member("role", jsvalue.String("user"))
	source, blocks := member("source", message.Get("source")), member("content", jsvalue.Array(block))
	outer := jsvalue.Object(source, blocks, role, id)
	if closer {
		outer = jsvalue.Object(id, role, source, blocks)
	}
	return restored(outer, message, "plugin:message:")
}

// restored puts members back that the step to format 4 put aside.
func restored(into, from *jsvalue.Value, prefix string) *jsvalue.Value {
	for _, m := range from.Members() {
		if name, ok := strings.CutPrefix(m.Key, prefix); ok {
			into = into.With(name, m.Value)
		}
	}
	return into
}

// pluginOf returns the plugin that a message's source named before format 4, "" for a kind that
// it had already.
func pluginOf(message *jsvalue.Value, to int64) string {
	kind := message.Get("source").Get("kind").Text()
	if plugin, ok := strings.CutPrefix(kind, "plugin:"); ok {
		return plugin
	}
	switch {
	case kind == "ptc-mode" && to < 3:
		return "tools-code-mode"
	case kind == "ptc-mode":
		return "tools-ptc"
	case kind == "system-prompt" && message.Get("role").Is("system"):
		return promptPlugin
	case sameKinds[kind]:
		return kind
	}
	for plugin, own := range ownKinds {
		if own == kind {
			return plugin
		}
	}
	return ""
}

// withPlugin gives a source its plugin back: kind becomes "plugin", and the name follows it.
func withPlugin(source *jsvalue.Value, plugin string) *jsvalue.Value {
	members := make([]jsvalue.Member, 0, len(source.Members())+1)
	for _, m := range source.Members() {
		if m.Key == "kind" {
			members = append(members, member("kind", jsvalue.String("plugin")), member("plugin", jsvalue.String(plugin)))
			continue
		}
		members = append(members, m)
	}
	return jsvalue.Object(members...)
}
