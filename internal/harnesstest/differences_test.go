package harnesstest

import "strings"

// A difference is a rule by which this project deliberately judges a damaged
// log otherwise than the harness's loader.
type difference struct {
	name   string
	reason string
	// ours is our refusal's code, "" when we accept; theirs is a part of the
	// harness's message, "" when it accepts.
	ours, theirs string
}

// differences is the whole list. A disagreement that is not in it fails.
var differences = []difference{}

func explained(ours, theirs string) (difference, bool) {
	for _, d := range differences {
		if d.ours == ours && (d.theirs == "") == (theirs == "") && strings.Contains(theirs, d.theirs) {
			return d, true
		}
	}
	return difference{}, false
}
