package cache

import "github.com/dsh-verify/dsh-verify/logformat/ecmajson"

// Usage is what a provider reported for a request, in tokens; -1: not reported.
type Usage struct {
	Input      int64 `json:"inputTokens"` // that the cache did not give
	CacheRead  int64 `json:"cacheReadTokens"`
	CacheWrite int64 `json:"cacheWriteTokens"`
	Output     int64 `json:"outputTokens"`
}

var unreported = Usage{-1, -1, -1, -1}

func parseUsage(v ecmajson.Value) Usage {
	return Usage{tokens(v, "inputTokens"), tokens(v, "cacheReadTokens"), tokens(v, "cacheWriteTokens"), tokens(v, "outputTokens")}
}

// maxTokens bounds what is taken for a number of tokens.
const maxTokens = 1 << 40

func tokens(v ecmajson.Value, key string) int64 {
	n, ok := v.Lookup(key).SafeInt()
	if !ok || n < 0 || n > maxTokens {
		return -1
	}
	return n
}

// prompt returns the tokens of the whole prompt, -1 when it was not reported.
func (u Usage) prompt() int64 {
	if u.Input < 0 {
		return -1
	}
	return u.Input + max(0, u.CacheRead) + max(0, u.CacheWrite)
}

// reportsCache reports whether the provider said what its cache gave.
func (u Usage) reportsCache() bool { return u.Input >= 0 && u.CacheRead >= 0 }
