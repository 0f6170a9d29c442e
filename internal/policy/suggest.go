package policy

import (
	"maps"
	"slices"
	"strings"
)

func keys[T any](m map[string]T) []string { return slices.Sorted(maps.Keys(m)) }

// few is up to how many names are all listed where none comes close.
const few = 12

// suggest says which name of a list may have been meant.
func suggest(word string, names []string) string {
	best, least := "", len(word)/3+2
	for _, name := range names {
		if d := distance(word, name); d < least {
			best, least = name, d
		}
	}
	switch {
	case best != "":
		return "did you mean " + best + "?"
	case len(names) <= few:
		return "there are " + strings.Join(names, ", ")
	}
	return "'dsh-verify formats' lists them"
}

// distance counts the letters to change, add, drop or swap with the next.
func distance(a, b string) int {
	var before, last []int
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, last, row = last, row, make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
	}
	return row[len(b)]
}
