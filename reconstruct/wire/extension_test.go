package wire_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
	"github.com/dsh-verify/dsh-verify/reconstruct"
	"github.com/dsh-verify/dsh-verify/reconstruct/wire"
	"github.com/dsh-verify/dsh-verify/reconstruct/wire/chat"
)

func TestCutExtensions(t *testing.T) {
	const base = `{"model":"m","messages":[],"stream":true,"max_tokens":5}`
	for _, c := range []struct {
		name, captured, rest string
		members              string // names, in order
		foreign              bool
	}{
		{"none", base, base, "", false},
		{"one", `{"model":"m","messages":[],"stream":true,"max_tokens":5,"dsh_plugin_packages":{"version":1}}`, base, "dsh_plugin_packages", false},
		{"two", `{"model":"m","messages":[],"stream":true,"max_tokens":5,"dsh_session_log":[1],"dsh_plugin_packages":null}`, base, "dsh_session_log dsh_plugin_packages", false},
		{"one that nobody knows", `{"model":"m","messages":[],"stream":true,"max_tokens":5,"user":"x"}`, base, "user", false},
		{"white space in it", `{"model":"m","messages":[],"stream":true,"max_tokens":5,"dsh_session_log": [ 1 ] }`, base, "dsh_session_log", true},
		{"white space before it", `{"model":"m","messages":[],"stream":true,"max_tokens":5, "dsh_session_log":1}`, base, "dsh_session_log", true},
		{"twice", `{"model":"m","messages":[],"stream":true,"max_tokens":5,"dsh_session_log":1,"dsh_session_log":2}`, base, "dsh_session_log dsh_session_log", true},
		{"a number that JavaScript prints otherwise", `{"model":"m","messages":[],"stream":true,"max_tokens":5,"dsh_session_log":1.0}`, base, "dsh_session_log", true},
		{"a line feed after the end", `{"model":"m","messages":[],"stream":true,"max_tokens":5,"dsh_session_log":1}` + "\n", base + "\n", "dsh_session_log", false},
		// These are differences: what the adapter wrote is not all there, or not alone.
		{"white space after the last member", `{"model":"m","messages":[],"stream":true,"max_tokens":5 ,"dsh_session_log":1}`, `{"model":"m","messages":[],"stream":true,"max_tokens":5 }`, "dsh_session_log", false},
		{"in the middle", `{"model":"m","messages":[],"dsh_session_log":1,"stream":true,"max_tokens":5}`, "", "", false},
		{"at the start", `{"dsh_session_log":1,"model":"m","messages":[],"stream":true,"max_tokens":5}`, "", "", false},
		{"a member of the body after it", `{"model":"m","messages":[],"stream":true,"max_tokens":5,"dsh_session_log":1,"tools":[]}`, "", "", false},
		{"the same, spelled otherwise", `{"model":"m","messages":[],"stream":true,"max_tokens":5,"dsh_session_log":1,"\u0074ools":[]}`, "", "", false},
		{"a member of the body twice", `{"model":"m","messages":[],"stream":true,"max_tokens":5,"max_tokens":6,"dsh_session_log":1}`, `{"model":"m","messages":[],"stream":true,"max_tokens":5,"max_tokens":6}`, "dsh_session_log", false},
		{"only extensions", `{"dsh_session_log":1}`, "", "", false},
		{"no object", `["dsh_session_log"]`, "", "", false},
		{"a cut body", `{"model":"m","messages":[],"stream":true,"max_tokens":5,"dsh_session_log":`, "", "", false},
		{"an empty object", `{}`, "", "", false},
		{"nothing", ``, "", "", false},
	} {
		rest, x := wire.CutExtensions(chat.Protocol, []byte(c.captured))
		if c.members == "" {
			c.rest = c.captured
		}
		var names []string
		for _, m := range x.Members {
			names = append(names, m.Name)
		}
		if string(rest) != c.rest || strings.Join(names, " ") != c.members || x.Foreign != c.foreign {
			t.Errorf("%s: %q, %v, foreign is %v", c.name, rest, names, x.Foreign)
		}
	}
}

// FuzzCutExtensions checks that what is cut is what the text has: put together again, it
// is the capture, and the rest is JSON when the capture is.
func FuzzCutExtensions(f *testing.F) {
	f.Add([]byte(`{"model":"m","messages":[],"dsh_session_log":[1] , "x":2}`))
	f.Add([]byte(`{"model":"m","messages":[],"dsh_session_log":1,"tools":[]}`))
	f.Fuzz(func(t *testing.T, captured []byte) {
		before := bytes.Clone(captured)
		rest, x := wire.CutExtensions(chat.Protocol, captured)
		if !bytes.Equal(before, captured) {
			t.Fatal("the capture was changed")
		}
		if len(x.Members) == 0 {
			if !bytes.Equal(rest, captured) {
				t.Fatalf("nothing was cut, and %q is left", rest)
			}
			return
		}
		if _, err := ecmajson.Check(rest); err != nil {
			t.Fatalf("%q: %v", rest, err)
		}
		brace := bytes.LastIndexByte(rest, '}')
		if !bytes.HasPrefix(captured, rest[:brace]) || captured[brace] != ',' || !bytes.HasSuffix(captured, rest[brace:]) {
			t.Fatalf("%q is not of %q", rest, captured)
		}
	})
}

// textBodies returns the rebuilt bodies of a case and what was posted of each.
func textBodies(t *testing.T, name string) (pairs []pair) {
	dir := filepath.Join(fixtures, name)
	bodies := bodiesOf(t, dir)
	builder := wire.NewBuilder(chat.Protocol, wire.DefaultPolicy(), nil)
	eachRequest(t, dir, func(q *reconstruct.Request) {
		posted := bodies[q.SessionID+" "+q.Key()]
		if len(posted) == 0 {
			return
		}
		body, err := builder.Body(q.Keep())
		if err != nil {
			t.Fatal(err)
		}
		captured, _ := wire.CutExtensions(chat.Protocol, posted[0])
		pairs = append(pairs, pair{body, captured})
	})
	if len(pairs) == 0 {
		t.Fatalf("%s has no bodies", name)
	}
	return pairs
}

// TestEveryByte changes each byte of captured bodies: each is found where it is.
func TestEveryByte(t *testing.T) {
	for _, p := range textBodies(t, "late-extensions") {
		if d := p.body.Match(p.captured); d != nil {
			t.Fatalf("the capture itself differs at byte %d", d.Capture)
		}
		for at := range p.captured {
			changed := bytes.Clone(p.captured)
			changed[at] ^= 1
			if d := p.body.Match(changed); d == nil || d.Capture != int64(at) {
				t.Fatalf("byte %d was changed, and the difference is %+v", at, d)
			}
		}
	}
}

// TestEveryMember leaves out, repeats and renames each member of captured bodies, and
// leaves out each message: each is found inside of it.
func TestEveryMember(t *testing.T) {
	for _, p := range textBodies(t, "late-tools-parallel") {
		text := string(p.captured)
		check := func(what string, start, end int, changed string) {
			if d := p.body.Match([]byte(changed)); d == nil || d.Capture < int64(start) || d.Capture > int64(end) {
				t.Errorf("%s, bytes %d to %d: the difference is %+v", what, start, end, d)
			}
		}
		for _, s := range spans(text, 0) {
			member := text[s.start:s.end]
			check("left out "+member, max(0, s.start-1), s.end, leaveOut(text, s))
			check("twice "+member, s.end, s.end+len(member), text[:s.end]+","+member+text[s.end:])
			check("renamed "+member, s.start, s.end, text[:s.start+1]+"x"+text[s.start+1:])
		}
		messages := strings.Index(text, `"messages":`) + len(`"messages":`)
		for _, s := range spans(text, messages) {
			check("left out "+text[s.start:s.end], max(0, s.start-1), s.end, leaveOut(text, s))
		}
	}
}

// A place is where a member or an element stands.
type place struct{ start, end int }

// spans returns where the members or elements of the value at an offset are.
func spans(text string, at int) (list []place) {
	for at++; ; at++ {
		start := at
		if text[start] == '"' {
			if end := ecmajson.Skip([]byte(text), at); text[end] == ':' {
				at = end + 1
			}
		}
		at = ecmajson.Skip([]byte(text), at)
		list = append(list, place{start, at})
		if text[at] != ',' {
			return list
		}
	}
}

func leaveOut(text string, s place) string {
	if text[s.end] == ',' {
		return text[:s.start] + text[s.end+1:]
	}
	return strings.TrimSuffix(text[:s.start], ",") + text[s.end:]
}

// TestExtensionsOfCaptures checks that bodies with what a default installation appends
// are those that the log gives.
func TestExtensionsOfCaptures(t *testing.T) {
	dir := filepath.Join(fixtures, "late-extensions", "wire")
	files, _ := filepath.Glob(filepath.Join(dir, "*.json"))
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if _, x := wire.CutExtensions(chat.Protocol, text); len(x.Members) != 2 || x.Foreign || x.Members[0].Name != wire.SessionLog || x.Members[1].Name != wire.PluginPackages {
			t.Errorf("%s: %+v", file, x)
		}
	}
}
