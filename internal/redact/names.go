package redact

import (
	"strings"

	"github.com/dsh-verify/dsh-verify/objectstore"
)

// members is how the members of requests and HTTP bodies are called. Other names
// are the texts of someone.
var members = set(`config provider model reasoningEffort maxTokens temperature stop system tools name
	description parameters messages role content type text id arguments toolCallId isError attachment attachmentId
	mediaType width height bytes stream stream_options include_usage thinking reasoning_effort max_tokens function
	sessionId source kind callId compactionId replayState plugin purpose
	tool_calls tool_call_id image_url url file file_id reasoning_content`)

// free are the members whose values are JSON of someone's making.
var free = set("parameters arguments replayState")

// words are the values of type, role, kind and reason that requests, HTTP bodies
// and request headers know.
var words = set(`user assistant system developer tool model plugin message text reasoning tool-call tool-result
	tool-calls image image_url image/png image/jpeg image/webp image/gif file function enabled disabled initial change resume stop max-tokens error aborted`)

func set(list string) map[string]bool {
	set := make(map[string]bool)
	for _, word := range strings.Fields(list) {
		set[word] = true
	}
	return set
}

// IsMember reports whether requests or HTTP bodies have members of that name.
func IsMember(name string) bool { return members[name] }

// IsFree reports whether the names in a member's value are those of a tool, or of
// an adapter, and not of the format.
func IsFree(name string) bool { return free[name] }

// Name returns what stands for the name of a tool, the id of a call and the like;
// none stays none.
func (r *Redactor) Name(s string) string {
	if s == "" {
		return s
	}
	return r.Text(s)
}

// Member returns a member's name if it is one of the format, else what stands for it.
func (r *Redactor) Member(name string) string {
	if members[name] {
		return name
	}
	return r.Name(name)
}

// Word returns a type, role, kind or reason that the format knows, and what stands
// for any other.
func (r *Redactor) Word(s string) string {
	if words[s] {
		return s
	}
	return r.Name(s)
}

// Object returns an attachment's id, which is a digest, and what stands for a text in
// the place of one.
func (r *Redactor) Object(id string) string {
	if r == nil || id == "" || objectstore.IsDigest(strings.TrimPrefix(id, "sha256:")) {
		return id
	}
	return r.Text(id)
}

// Pointer redacts a JSON pointer into a request, a body or a part of one: from the
// first member on that is not one of the format, and below those whose values are
// free, each name is replaced.
func (r *Redactor) Pointer(pointer string) string {
	if r == nil || pointer == "" {
		return pointer
	}
	tokens := strings.Split(pointer, "/")
	foreign := false
	for i, token := range tokens[1:] {
		name := strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
		if isIndex := name != "" && len(name) < 9 && strings.Trim(name, "0123456789") == ""; isIndex && !foreign {
			continue
		}
		foreign = foreign || !members[name]
		if foreign {
			tokens[i+1] = r.Text(name)
		}
		foreign = foreign || free[name]
	}
	return strings.Join(tokens, "/")
}
