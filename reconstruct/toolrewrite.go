package reconstruct

import (
	"fmt"

	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
	"github.com/dsh-verify/dsh-verify/reconstruct/transcript"
)

// refuseToolRewrite is the rule of section 5 for a tool's result that replaces: it
// replaces exactly one, and differs from it in only the content of its result.
func refuseToolRewrite(_ *Surface, a *transcript.Act, span span) (logformat.Code, string) {
	switch {
	case span.first == nil || a.Entry.Role != transcript.Tool:
		return "", ""
	case len(span.seqs) != 1 || span.first.Role != transcript.Tool:
		return logformat.CodeReplaceToolTarget, fmt.Sprintf("it replaces %d events, the first a %s", len(span.seqs), span.first.Type)
	case !sameButContent(span.first.data, a.Event.Data):
		return logformat.CodeReplaceToolEdit, ""
	}
	return "", ""
}

// sameButContent reports whether two tool/result data differ at most in the
// content of their result block.
func sameButContent(a, b ecmajson.Value) bool {
	if !sameMembers(a, b, "message") {
		return false
	}
	am, bm := a.Lookup("message"), b.Lookup("message")
	return sameMembers(am, bm, "content") &&
		sameMembers(firstElement(am.Lookup("content")), firstElement(bm.Lookup("content")), "content")
}

func firstElement(v ecmajson.Value) ecmajson.Value {
	for e := range v.Elements() {
		return e
	}
	return nil
}

// sameMembers compares two objects member by member, except one key.
func sameMembers(a, b ecmajson.Value, except string) bool {
	if a.Len() != b.Len() {
		return false
	}
	for key, v := range a.Members() {
		if key.Is(except) {
			continue
		}
		other := b.Lookup(key.Text())
		if other == nil || !ecmajson.Equal(v, other) {
			return false
		}
	}
	return true
}
