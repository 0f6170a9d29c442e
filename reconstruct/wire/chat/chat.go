// Package chat is the chat-completions protocol of the DeepSeek adapter.
//
// The adapter posts JSON.stringify of, in this key order,
//
//	{"model","messages","stream":true,"stream_options":{"include_usage":true},
//	 "thinking"?,"reasoning_effort"?,"tools"?,"temperature"?,"max_tokens"?,"stop"?}
//
// with the system prompt as the first message, each tool result as a message of
// role tool, and the text blocks of a message joined. Images of a tool result go in
// a user message after the results. For requests without images the body is a
// function of the request.
//
// # Images
//
// A user message with an image has a list as its content: for each image the text
// that names it to the model, and the image. Before a body exceeds the bounds of the
// policy, the oldest images are replaced by a text.
package chat

import (
	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
	"github.com/dsh-verify/dsh-verify/reconstruct/wire"
)

// Protocol is the chat-completions protocol.
var Protocol wire.Protocol = protocol{}

type protocol struct{}

func (protocol) Name() string { return "deepseek" }
func (protocol) Path() string { return "/chat/completions" }

// IsBody reports whether a value has the member that no request has, and no body of
// another protocol.
func (protocol) IsBody(v ecmajson.Value) bool { return v.Lookup("stream_options") != nil }

// Writes reports whether a member is one of the body.
func (protocol) Writes(member string) bool {
	switch member {
	case "model", "messages", "stream", "stream_options", "thinking", "reasoning_effort",
		"tools", "temperature", "max_tokens", "stop":
		return true
	}
	return false
}

// unsupported says why nothing is posted, in words that quote nothing.
func unsupported(reason string) error { return &wire.Unsupported{Reason: reason, Bare: reason} }
