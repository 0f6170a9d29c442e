package harnesstest

import (
	"bytes"
	"encoding/json"
	"strings"
)

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

// An unlogged is something that a request can hold, or lack, and that no log
// can tell: the rebuilt request may differ from the recorded one by it.
type unlogged struct {
	name   string
	reason string
	// explains reports whether a drift is nothing but this.
	explains func(recorded, rebuilt []byte) bool
}

var unloggedThings = []unlogged{
	{
		"a message appended behind the batch",
		"a plugin appends to the surface after the loop took the step's messages, and no header or context event lies between: the log is the same as when the batch had held the message",
		func(recorded, rebuilt []byte) bool {
			was, is := messagesOf(recorded), messagesOf(rebuilt)
			if len(is) <= len(was) {
				return false
			}
			for i, m := range is {
				if i < len(was) {
					if !bytes.Equal(was[i], m) {
						return false
					}
				} else if !bytes.Contains(m, []byte(`"plugin":"`+lateNote+`"`)) {
					return false
				}
			}
			return true
		},
	},
}

func messagesOf(request []byte) []json.RawMessage {
	var q struct{ Messages []json.RawMessage }
	if json.Unmarshal(request, &q) != nil {
		return nil
	}
	return q.Messages
}
