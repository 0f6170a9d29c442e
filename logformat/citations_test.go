package logformat_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/dsh-verify/dsh-verify/logformat"
)

// A lateCase is what the loader of release 0.1.2-rc.1 made of a log:
// testdata/late-rows.jsonl was written from its answers. The first case is the log
// that the others go on with.
type lateCase struct {
	Header  string  // "": that of the first case
	Log     *string // all rows; or
	Rows    string  // what follows those of the first case; or
	Sources string  // the sourceEventSeqs of an assistant/message there
	Kept    []*int  // events, nil: refused. With Sources also of the log with a turn/end after it
	List    []int64 // what the sources stand for
}

func lateCases(t *testing.T) (cases []lateCase) {
	data, err := os.ReadFile("testdata/late-rows.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(data) {
		var c lateCase
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatal(err)
		}
		cases = append(cases, c)
	}
	return cases
}

// readAll returns the number of events and the sources of the last assistant
// message; the error refuses the log.
func readAll(log string) (events int, sources []int64, err error) {
	r := logformat.NewReader(strings.NewReader(log), logformat.Options{})
	for e, err := range r.Events() {
		if err != nil {
			return events, nil, err
		}
		if events++; e.Type == "assistant/message" {
			sources = slices.Clone(e.Sources)
		}
	}
	return events, sources, nil
}

const (
	citing = `{"type":"assistant/message","seq":11,"time":1,"data":{"turn":1,"step":1,"message":{"role":"assistant",` +
		`"content":[{"type":"text","text":"a"}],"source":{"kind":"model","provider":"p","model":"m"},"id":"m2"}},"sourceEventSeqs":%s,"surfaceOp":"append"}` + "\n"
	closing = `{"type":"step/end","seq":12,"time":1,"data":{"turn":1,"step":1}}` + "\n" +
		`{"type":"turn/end","seq":13,"time":1,"data":{"turn":1,"reason":{"kind":"completed"}}}` + "\n"
)

// TestLateRows compares with the loader of 0.1.2-rc.1: ranges in sourceEventSeqs at
// their boundaries (V0-01), event numbers that are none, lines that hold no object,
// and seedLength; each in a tail and, for most, in front of a turn/end.
func TestLateRows(t *testing.T) {
	cases := lateCases(t)
	for _, c := range cases {
		header, variants := cases[0].Header, []string{*cases[0].Log + c.Rows}
		if c.Header != "" {
			header = c.Header
		}
		switch {
		case c.Log != nil:
			variants = []string{*c.Log}
		case c.Sources != "":
			row := *cases[0].Log + fmt.Sprintf(citing, c.Sources)
			variants = []string{row, row + closing}
		}
		for i, rows := range variants {
			name := c.Header + c.Sources + c.Rows
			events, sources, err := readAll(header + "\n" + rows)
			switch want := c.Kept[i]; {
			case want == nil && err == nil:
				t.Errorf("%s\naccepted, %d events", name, events)
			case want != nil && (err != nil || events != *want):
				t.Errorf("%s\nkept %d events, want %d: %v", name, events, *want, err)
			case c.List != nil && !slices.Equal(sources, c.List):
				t.Errorf("%s\nstands for %v, want %v", name, sources, c.List)
			}
		}
	}
}

// TestCitedInSum checks that a log cannot make much of little: rows of a few bytes
// that each cite all before them.
func TestCitedInSum(t *testing.T) {
	var log strings.Builder
	log.WriteString(lateCases(t)[0].Header + "\n")
	log.WriteString(`{"type":"turn/start","seq":0,"time":1,"data":{"turn":1}}` + "\n")
	for seq := 1; seq < 20_000; seq++ {
		fmt.Fprintf(&log, `{"type":"user/message","seq":%d,"time":1,"data":{"content":[],"source":{"kind":"user"},"role":"user","id":"m"},"sourceEventSeqs":[[0,%d]],"surfaceOp":"append"}`+"\n", seq, seq-1)
	}
	_, _, err := readAll(log.String())
	if refusal, ok := err.(*logformat.Refusal); !ok || refusal.Code != logformat.CodeSourcesMany {
		t.Errorf("error is %v", err)
	}
}
