package promptcache

import (
	"encoding/json"

	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

// Tokens is a number of tokens; -1, null in JSON, where nobody reported it.
type Tokens int64

// MarshalJSON prints the number, null when it is not known.
func (t Tokens) MarshalJSON() ([]byte, error) {
	if t < 0 {
		return []byte("null"), nil
	}
	return json.Marshal(int64(t))
}

// add adds what was reported; a sum of nothing stays unknown.
func (t *Tokens) add(n Tokens) {
	if n >= 0 {
		*t = max(0, *t) + n
	}
}

// Usage is what a provider reported for a request, in tokens.
type Usage struct {
	Input      Tokens `json:"inputTokens"` // that the cache did not give
	CacheRead  Tokens `json:"cacheReadTokens"`
	CacheWrite Tokens `json:"cacheWriteTokens"`
	Output     Tokens `json:"outputTokens"`
}

var unreported = Usage{-1, -1, -1, -1}

func parseUsage(v ecmajson.Value) Usage {
	return Usage{tokens(v, "inputTokens"), tokens(v, "cacheReadTokens"), tokens(v, "cacheWriteTokens"), tokens(v, "outputTokens")}
}

// maxTokens bounds what is taken for a number of tokens.
const maxTokens = 1 << 40

func tokens(v ecmajson.Value, key string) Tokens {
	n, ok := v.Lookup(key).SafeInt()
	if !ok || n < 0 || n > maxTokens {
		return -1
	}
	return Tokens(n)
}

// prompt returns the tokens of the whole prompt, -1 when it was not reported.
func (u Usage) prompt() Tokens {
	if u.Input < 0 {
		return -1
	}
	return u.Input + max(0, u.CacheRead) + max(0, u.CacheWrite)
}

// reportsCache reports whether the provider said what its cache gave.
func (u Usage) reportsCache() bool { return u.Input >= 0 && u.CacheRead >= 0 }
