package logformat

import (
	"fmt"
	"strings"
	"testing"
)

// TestVersion0PackedRows has a row for each rule of packed rows: what it says in place
// of a part of a good one, and whether it is malformed. With a turn/end after it such
// a row refuses the log.
func TestVersion0PackedRows(t *testing.T) {
	const (
		text = `{"type":"text-chunks","seq0":0,"time0":5,"data":{"turn":1,"step":1,"index":0,"dt":[1,-2],"texts":["a","","b"]}}`
		call = `{"type":"tool-call-chunks","seq0":0,"time0":5,"data":{"turn":1,"step":1,"index":0,"dt":[0],"id":"c","name":"n","args":["{","}"]}}`
		end  = `{"type":"turn/end","seq":%d,"time":1,"data":{"turn":1,"reason":{"kind":"completed"}}}`
	)
	for _, c := range []struct {
		good, old, new string
		events         int // 0: the row is malformed
	}{
		{text, "", "", 3},
		{text, `text-chunks`, `reasoning-chunks`, 3},
		{call, "", "", 2},
		{call, `"name":"n",`, ``, 2},
		{text, `[1,-2],"texts":["a","","b"]`, `[],"texts":["a"]`, 1},
		{text, `"turn":1`, `"turn":1.5`, 3}, // any number
		{text, `,"time0":5`, ``, 0},
		{text, `"time0":5`, `"time0":"5"`, 0},
		{text, `"time0":5`, `"time0":9007199254740991`, 0},
		{text, `"seq0":0`, `"seq0":-1`, 0},
		{text, `"data"`, `"more":1,"data"`, 0},
		{text, `"data":{`, `"data":[],"data2":{`, 0},
		{text, `"turn":1`, `"turn":"1"`, 0},
		{text, `"index":0,`, ``, 0},
		{text, `"index":0`, `"index":0,"id":"c"`, 0},
		{text, `[1,-2]`, `[1]`, 0},
		{text, `[1,-2]`, `[1,-2,3]`, 0},
		{text, `[1,-2]`, `[1,0.5]`, 0},
		{text, `[1,-2]`, `{}`, 0},
		{text, `["a","","b"]`, `["a","",0]`, 0},
		{text, `[1,-2],"texts":["a","","b"]`, `[],"texts":[]`, 0},
		{text, `"texts"`, `"args"`, 0},
		{call, `"id":"c",`, ``, 0},
		{call, `"name":"n"`, `"name":null`, 0},
	} {
		row := c.good
		if c.old != "" {
			if row = strings.Replace(c.good, c.old, c.new, 1); row == c.good {
				t.Fatalf("%s has no %s", c.good, c.old)
			}
		}
		// White space sends the row the general way, which must see the same.
		for _, spelled := range []string{row, strings.Replace(row, ":", ": ", 1)} {
			events, codes := readLog(plainHeader, spelled, fmt.Sprintf(end, c.events))
			switch {
			case c.events == 0 && (len(codes) != 1 || codes[0] != CodeChunkRow):
				t.Errorf("%s\n%v", spelled, codes)
			case c.events > 0 && (len(codes) > 0 || len(events) != c.events+1):
				t.Errorf("%s\n%d events, %v", spelled, len(events), codes)
			}
		}
	}
	events, _ := readLog(plainHeader, call)
	const want = `{"turn":1,"step":1,"chunk":{"type":"tool-call-delta","index":0,"id":"c","name":"n","argumentsDelta":"}"}}`
	if e := events[1]; e.Seq != 1 || e.Time != 5 || e.Type != TypeAssistantChunk || string(e.Data) != want {
		t.Errorf("%+v\n%s", e, e.Data)
	}
}

// TestVersion0Tail: what follows a damaged line, and whether it shows that the line was
// committed.
func TestVersion0Tail(t *testing.T) {
	end := row(TypeTurnEnd, `{"turn":1,"reason":{"kind":"completed"}}`, "")
	for _, c := range []struct {
		name    string
		rows    []string
		refused bool
	}{
		{"no turn/end", []string{"{", row(TypeSessionTitle, `{}`, "")}, false},
		{"a turn/end", []string{"{", end}, true},
		{"a turn/end with any number", []string{"{", strings.Replace(end, "SEQ", "77", 1)}, true},
		{"a turn/end whose number is none", []string{"{", strings.Replace(end, "SEQ", "-1", 1)}, false},
		{"a turn/end that is malformed by what it cites", []string{"{", strings.Replace(end, `}}}`, `}},"sourceEventSeqs":null}`, 1)}, false},
		{"a turn/end whose data are no object", []string{"{", row(TypeTurnEnd, `1`, "")}, true},
		{"a turn/end that shows the gap itself", []string{strings.Replace(end, "SEQ", "77", 1)}, true},
		{"another event that shows a gap", []string{strings.Replace(row(TypeSessionTitle, `{}`, ""), "SEQ", "77", 1)}, false},
		{"a mode/set, which refuses only what is taken", []string{"{", row(TypeModeSet, `{}`, "")}, false},
	} {
		if _, codes := readLog(plainHeader, c.rows...); len(codes) > 0 != c.refused {
			t.Errorf("%s: %v", c.name, codes)
		}
	}
}
