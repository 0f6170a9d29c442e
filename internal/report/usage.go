package report

import (
	"fmt"
	"strings"

	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

// A usage is what the provider reported for one request. A negative number was
// not reported.
type usage struct {
	input, cacheRead, cacheWrite, output, reasoning int64
	finish                                          string
}

func noUsage() usage { return usage{-1, -1, -1, -1, -1, ""} }

// note takes what a record says about the request under way: the usage and
// finish chunks of its attempt, and the usage of the assistant message, which
// stands for the whole.
func (u *usage) note(e *logformat.Event) {
	switch {
	case e.Type == "assistant/message":
		u.take(e.Data.Lookup("usage"))
	case e.Type != "assistant/chunk" || e.IsDelta():
	default:
		chunk := e.Data.Lookup("chunk")
		switch {
		case chunk.Lookup("type").Is("usage"):
			u.take(chunk.Lookup("usage"))
		case chunk.Lookup("type").Is("finish"):
			u.finish = chunk.Lookup("reason").Lookup("kind").Text()
		}
	}
}

func (u *usage) take(v ecmajson.Value) {
	for _, member := range []struct {
		key string
		to  *int64
	}{
		{"inputTokens", &u.input},
		{"cacheReadTokens", &u.cacheRead},
		{"cacheWriteTokens", &u.cacheWrite},
		{"outputTokens", &u.output},
		{"reasoningTokens", &u.reasoning},
	} {
		if n, ok := v.Lookup(member.key).SafeInt(); ok && n >= 0 {
			*member.to = n
		}
	}
}

// share is the part of the input tokens that came from the cache, 0 to 1. Where
// more was read than came in, the provider counts the two apart.
func (u *usage) share() (float64, bool) {
	if u.cacheRead < 0 || u.input < 0 {
		return 0, false
	}
	whole := u.input
	if u.cacheRead > whole {
		whole += u.cacheRead
	}
	if whole == 0 {
		return 0, false
	}
	return float64(u.cacheRead) / float64(whole), true
}

// words lists the numbers that were reported.
func (u *usage) words() string {
	var parts []string
	for _, n := range []struct {
		count int64
		what  string
	}{{u.input, "in"}, {u.cacheRead, "read from cache"}, {u.cacheWrite, "written to cache"}, {u.output, "out"}, {u.reasoning, "of reasoning"}} {
		if n.count >= 0 {
			parts = append(parts, fmt.Sprintf("%s %s", number(n.count), n.what))
		}
	}
	return strings.Join(parts, ", ")
}
