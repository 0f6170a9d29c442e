package logtext

import (
	"fmt"
	"strings"
)

// words are what stands on one line.
type words []string

// split cuts a line at its spaces, except in strings, lists and objects. A # that
// begins a word ends the line.
func split(line string) words {
	var list words
	for rest := strings.TrimSpace(line); rest != "" && rest[0] != '#'; rest = strings.TrimLeft(rest, " \t") {
		n := wordLen(rest)
		list = append(list, rest[:n])
		rest = rest[n:]
	}
	return list
}

func wordLen(s string) int {
	depth, quoted := 0, false
	for i := 0; i < len(s); i++ {
		switch b := s[i]; {
		case quoted && b == '\\':
			i++
		case b == '"':
			quoted = !quoted
		case quoted:
		case b == '[' || b == '{':
			depth++
		case b == ']' || b == '}':
			depth--
		case (b == ' ' || b == '\t') && depth == 0:
			return i
		}
	}
	return len(s)
}

// take removes and returns the first word, "" when there is none.
func (w *words) take() string {
	if len(*w) == 0 {
		return ""
	}
	first := (*w)[0]
	*w = (*w)[1:]
	return first
}

// need is take for a word that must be there.
func (w *words) need(what string) string {
	first := w.take()
	if first == "" {
		panic(fault("it lacks " + what))
	}
	return first
}

// accept removes the first word if it is this one.
func (w *words) accept(word string) bool {
	if len(*w) == 0 || (*w)[0] != word {
		return false
	}
	*w = (*w)[1:]
	return true
}

// setting removes key=value and returns the value, or absent where there is none.
func (w *words) setting(key, absent string) string {
	for i, word := range *w {
		if value, ok := strings.CutPrefix(word, key+"="); ok {
			*w = append(append(words{}, (*w)[:i]...), (*w)[i+1:]...)
			return value
		}
	}
	return absent
}

// after removes "word value" wherever it stands and returns the value, "" when
// there is none.
func (w *words) after(word string) string {
	for i, have := range *w {
		if have == word && i+1 < len(*w) {
			value := (*w)[i+1]
			*w = append(append(words{}, (*w)[:i]...), (*w)[i+2:]...)
			return value
		}
	}
	return ""
}

// A fault is what is wrong with a line of the notation.
type fault string

func faultf(format string, args ...any) fault { return fault(fmt.Sprintf(format, args...)) }
