package logformat

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestParseFileName has the names that release 0.2.1-rc.2 takes for generations, and
// those that it does not (its own expression is ^session(?:\.v([1-9][0-9]*))?\.jsonl$,
// and the number must be a safe integer).
func TestParseFileName(t *testing.T) {
	for _, c := range []struct {
		name       string
		version    int64
		compressed bool
		ok         bool
	}{
		{"session.jsonl", 0, false, true},
		{"session.jsonl.zstd", 0, true, true},
		{"session.v1.jsonl", 1, false, true},
		{"session.v4.jsonl", 4, false, true},
		{"session.v4.jsonl.zstd", 4, true, true},
		{"session.v10.jsonl", 10, false, true},
		{"session.v9007199254740991.jsonl", 9007199254740991, false, true},

		{name: "session.v0.jsonl"},                    // version 0 has no number
		{name: "session.v04.jsonl"},                   // a leading zero
		{name: "session.V4.jsonl"},                    // upper case
		{name: "Session.jsonl"},                       //
		{name: "session.jsonl.ZSTD"},                  //
		{name: "session.v9007199254740992.jsonl"},     // no safe integer
		{name: "session.v99999999999999999999.jsonl"}, //
		{name: "session.v+4.jsonl"},                   // what ParseInt takes
		{name: "session.v-4.jsonl"},                   //
		{name: "session.v.jsonl"},                     // no number
		{name: "session.v4"},                          // no suffix
		{name: "session.v4.jsonl.zst"},                // another suffix
		{name: "session.v4.jsonl.gz"},                 //
		{name: "session.v4.jsonl.zstd.zstd"},          // twice
		{name: "session.v4.jsonl.bak"},                // a backup
		{name: "session.v4.jsonl.0123456789ab.tmp"},   // as the harness writes it
		{name: "session.v4 2.jsonl"},                  // a copy
		{name: "session.1.jsonl"},                     // the child of an authored transcript
		{name: ".session.v4.jsonl.icloud"},            // a placeholder
		{name: "session.lock"},                        //
		{name: "session.v4.jsonl\n"},                  // a $ that matches before a line feed
		{name: "4"},                                   // what is left of a name
		{name: ""},                                    //
	} {
		version, compressed, ok := ParseFileName(c.name)
		if ok != c.ok || ok && (version != c.version || compressed != c.compressed) {
			t.Errorf("%q: version %d, compressed %v, ok %v", c.name, version, compressed, ok)
		}
		if ok && FileName(version, compressed) != c.name {
			t.Errorf("%q becomes %q", c.name, FileName(version, compressed))
		}
	}
}

func TestGenerations(t *testing.T) {
	for _, c := range []struct{ names, newest, older []string }{
		{},
		{names: []string{"session.lock", "requests.jsonl", "session.v04.jsonl"}},
		{names: []string{"session.jsonl"}, newest: []string{"session.jsonl"}},
		{names: []string{"session.jsonl.zstd", "session.jsonl"}, newest: []string{"session.jsonl", "session.jsonl.zstd"}},
		{
			names:  []string{"session.jsonl", "session.v3.jsonl", "session.v4.jsonl", "session.v4.jsonl.bak"},
			newest: []string{"session.v4.jsonl"},
			older:  []string{"session.v3.jsonl", "session.jsonl"},
		},
		{ // by number, not by text
			names:  []string{"session.v10.jsonl", "session.v9.jsonl"},
			newest: []string{"session.v10.jsonl"},
			older:  []string{"session.v9.jsonl"},
		},
		{ // the encoding changed between releases
			names:  []string{"session.jsonl", "session.v3.jsonl.zstd"},
			newest: []string{"session.v3.jsonl.zstd"},
			older:  []string{"session.jsonl"},
		},
		{ // a name that is no generation is no newer one
			names:  []string{"session.v3.jsonl", "session.v04.jsonl", "session.V5.jsonl"},
			newest: []string{"session.v3.jsonl"},
		},
	} {
		newest, older := Generations(c.names)
		if diff := cmp.Diff(c.newest, newest); diff != "" {
			t.Errorf("%v: newest: %s", c.names, diff)
		}
		if diff := cmp.Diff(c.older, older); diff != "" {
			t.Errorf("%v: older: %s", c.names, diff)
		}
	}
}

// TestHeaderAgainstFileName checks that a log is refused under the name of another
// generation, whatever else is wrong with its version, and that a name without a
// generation asks for none.
func TestHeaderAgainstFileName(t *testing.T) {
	for _, c := range []struct {
		name, version string
		code          Code // "": accepted
		says          string
	}{
		{"session.jsonl", "0", "", ""},
		{"session.v3.jsonl", "0", CodeHeaderGeneration, "the name says format 3 and the header says version 0; its own name would be session.jsonl"},
		{"session.v3.jsonl.zstd", "4", CodeHeaderGeneration, "the name says format 3 and the header says version 4; its own name would be session.v4.jsonl.zstd"},
		{"session.v4.jsonl", "5", CodeHeaderGeneration, "the name says format 4 and the header says version 5; its own name would be session.v5.jsonl"},
		{"session.v4.jsonl", "4.5", CodeHeaderGeneration, "the name says format 4 and the header says version 4.5"},
		{"session.v4.jsonl", "1e999", CodeHeaderGeneration, "the name says format 4 and the header says version 1e999"},
		{"session.v4.jsonl", "-1", CodeHeaderGeneration, "the name says format 4 and the header says version -1"},
		{"session.v9.jsonl", "9", CodeVersionNewer, "the header says version 9"},
		{"session.jsonl", "9", CodeVersionNewer, "the header says version 9"},
		{"session.jsonl", "3", CodeHeaderGeneration, "the name says format 0 and the header says version 3; its own name would be session.v3.jsonl"},
		{"session.v04.jsonl", "0", "", ""},
		{"copy of session.v3.jsonl", "0", "", ""},
		{"", "0", "", ""},
		{"session.v4.jsonl", `"4"`, CodeHeaderShape, "version is not a number"},
	} {
		log := `{"type":"session","version":` + c.version + `,"id":"s","createdAt":1,"delegationDepth":0}` + "\n"
		if _, compressed, _ := ParseFileName(c.name); compressed {
			log = string(frameSpec{window: window128K, size: -1, blocks: []specBlock{raw(log)}}.bytes())
		}
		_, err := NewReader(strings.NewReader(log), Options{FileName: c.name}).Header()
		refusal, refused := errors.AsType[*Refusal](err)
		switch {
		case refused != (c.code != ""):
			t.Errorf("%s, version %s: %v", c.name, c.version, err)
		case refused && (refusal.Code != c.code || refusal.Detail != c.says):
			t.Errorf("%s, version %s: %s: %s", c.name, c.version, refusal.Code, refusal.Detail)
		}
	}
}
