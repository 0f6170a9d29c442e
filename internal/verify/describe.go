package verify

import (
	"strings"

	"github.com/dsh-verify/dsh-verify/reconstruct"
)

// Describe returns a request's relation to the one before it in a few words.
func Describe(q *reconstruct.Request) string {
	r := q.Relation
	if q.Prepared {
		return "not shown as sent"
	}
	var parts []string
	switch r.Kind {
	case reconstruct.First:
		return "first"
	case reconstruct.Extends:
		word := "extends"
		if r.KeptMessages == q.Count() {
			word = "repeats"
		}
		parts = append(parts, word)
	default:
		if len(r.Parts) > 0 {
			names := make([]string, len(r.Parts))
			for i, p := range r.Parts {
				names[i] = string(p)
			}
			parts = append(parts, strings.Join(names, "+")+" changed")
		}
		if kind := replacesInWords(r.Replaces); kind != "" {
			parts = append(parts, kind)
		}
	}
	if r.HeaderReason == "resume" {
		parts = append(parts, "resumed")
	}
	if r.Inherited {
		parts = append(parts, "forked")
	}
	return strings.Join(parts, ", ")
}

func replacesInWords(replaces []*reconstruct.Message) string {
	var words []string
	for _, m := range replaces {
		word := string(m.By)
		if m.By == reconstruct.ByOther {
			word = "replace"
		}
		if len(words) == 0 || words[len(words)-1] != word {
			words = append(words, word)
		}
	}
	return strings.Join(words, "+")
}
