package harnesstest

import (
	"bytes"
	"encoding/json"
	"regexp"
)

// A difference is a rule by which this project deliberately answers otherwise than a
// release's loader.
type difference struct {
	name, reason string
	loader       string         // the release; "" for every one
	what         string         // what differs, as answer.differs says it; "" for whatever
	ours, theirs *regexp.Regexp // what the answers say; nil for whatever
}

// differences is the whole list. A disagreement that is not in it fails.
var differences = []difference{
	{
		name:   "ranges in sourceEventSeqs",
		reason: "0.1.2 writes runs of event numbers as [first,last]; earlier releases take numbers only",
		loader: rc8, what: "verdict", ours: loads, theirs: regexp.MustCompile(`sourceEventSeqs must densely contain non-negative safe integers`),
	},
	{
		name:   "names that came with 0.1.2",
		reason: "0.1.2 has event types that earlier releases do not know",
		loader: rc8, what: "verdict", ours: loads,
		theirs: regexp.MustCompile(`event type "(model/selection|subagent/model-selection-policy|session-log-deepseek/delivery-accepted)" .*unknown to this harness`),
	},
	{
		name:   "seedLength beyond the end",
		reason: "0.1.2 refuses a header that claims more inherited events than were kept; earlier releases do not compare",
		loader: rc8, what: "verdict", ours: regexp.MustCompile(`^refused: header/seed-length`), theirs: loads,
	},
	{
		name:   "sourceEventSeqs that are malformed for 0.1.2",
		reason: "0.1.2 decodes the list as it reads the row, and takes neither -0 nor more entries than events stand before it; earlier releases take -0 for 0",
		loader: rc8, what: "verdict", ours: regexp.MustCompile(`^refused: sources/malformed`), theirs: loads,
	},
	{
		name:   "a tail from a row that only 0.1.2 drops",
		reason: "0.1.2 drops a row whose sourceEventSeqs or seq is malformed, and a line that is no object, as it does one that does not parse; earlier releases read on, and judge what follows",
		loader: rc8, ours: regexp.MustCompile(`a tail from (sources/malformed|seq/no-count|line/null|line/no-record)$`),
	},
}

const rc8 = "0.1.0-rc.8"

var loads = regexp.MustCompile(`^loads`)

func explained(loader, what string, ours, theirs answer) (difference, bool) {
	for _, d := range differences {
		if (d.loader == "" || d.loader == loader) && (d.what == "" || d.what == what) && says(d.ours, ours) && says(d.theirs, theirs) {
			return d, true
		}
	}
	return difference{}, false
}

func says(pattern *regexp.Regexp, a answer) bool {
	return pattern == nil || pattern.MatchString(a.String())
}

// An unlogged is something that a request can hold, or lack, and that no log
// can tell: the rebuilt request may differ from the recorded one by it.
type unlogged struct {
	name   string
	reason string
	// explains reports whether a drift is only this.
	explains func(recorded, rebuilt []byte) bool
}

var unloggedThings = []unlogged{
	{
		"a message appended after the batch",
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
