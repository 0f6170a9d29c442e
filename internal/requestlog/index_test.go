package requestlog

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dsh-verify/dsh-verify/internal/strictjson"
)

// open indexes a text as a recording.
func open(t testing.TB, dir string, text []byte) (*File, error) {
	path := filepath.Join(dir, "requests.jsonl")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return Open(path)
}

// TestLines reads lines as JSON.parse does.
func TestLines(t *testing.T) {
	for _, c := range []struct{ name, line, want string }{
		{"as recorded", `{"sessionId":"s","turn":1,"step":2,"attempt":3,"request":{"a":1}}`, `s 1.2.3 {"a":1}`},
		{"with space", ` {"sessionId" : "s", "turn":1.0, "step":2e0, "attempt":3, "request": {"a" :1} } `, `s 1.2.3 {"a" :1}`},
		{"keys after the request", `{"request":{"a":1},"sessionId":"s","turn":1,"step":2,"attempt":3}`, `s 1.2.3 {"a":1}`},
		{"escapes in names and values", `{"s\u0065ssionId":"\u0073","turn":1,"step":2,"attempt":3,"request":{}}`, `s 1.2.3 {}`},
		{"another session after the request", `{"sessionId":"x","turn":1,"step":2,"attempt":3,"request":{},"sessionId":"s"}`, `s 1.2.3 {} odd`},
		{"another number after the request", `{"sessionId":"s","turn":9,"step":2,"attempt":3,"request":{},"turn":1}`, `s 1.2.3 {} odd`},
		{"another request after it", `{"sessionId":"s","turn":1,"step":2,"attempt":3,"request":{"a":1},"request":{"a":2}}`, `s 1.2.3 {"a":2} odd`},
		{"a key twice", `{"sessionId":"s","turn":9,"turn":1,"step":2,"attempt":3,"request":{}}`, `s 1.2.3 {} odd`},
		{"a key twice in place of another", `{"sessionId":"s","turn":1,"turn":1,"step":2,"request":{}}`, `bad: it has no attempt`},
		{"a name in other letters", `{"SessionId":"s","turn":1,"step":2,"attempt":3,"request":{}}`, `bad: it has no sessionId`},
		{"a request that is null", `{"sessionId":"s","turn":1,"step":2,"attempt":3,"request":null}`, `bad: it has no request`},
		{"a number that is text", `{"sessionId":"s","turn":"1","step":2,"attempt":3,"request":{}}`, `bad: it has no turn`},
		{"something after", `{"sessionId":"s","turn":1,"step":2,"attempt":3,"request":{}} {}`, `bad: it is not JSON: unexpected byte "{" at byte 61`},
		{"a bracket more", `{"sessionId":"s","turn":1,"step":2,"attempt":3,"request":{}}}`, `bad: it is not JSON: unexpected byte "}" at byte 60`},
		{"cut", `{"sessionId":"s","turn":1,"step":2,"attempt":3,"request":{"a":`, `bad: it is not JSON: unexpected EOF at byte 64`},
		{"a space that JSON does not know", "{\"sessionId\":\"s\",\"turn\":1,\"step\":2,\"attempt\":3,\"request\":{}}\u00a0", `bad: it is not JSON: unexpected byte "\xc2" at byte 60`},
		{"NUL", "\x00", `bad: it is not JSON: unexpected byte "\x00" at byte 0`},
		{"a byte order mark", "\xef\xbb\xbf{\"sessionId\":\"s\",\"turn\":1,\"step\":2,\"attempt\":3,\"request\":{}}", `bad: it is not JSON: unexpected byte "\xef" at byte 0`},
		{"not UTF-8", "{\"sessionId\":\"s\xff\",\"turn\":1,\"step\":2,\"attempt\":3,\"request\":{}}", "s\ufffd 1.2.3 {} odd"},
	} {
		t.Run(c.name, func(t *testing.T) {
			good := `{"sessionId":"first","turn":1,"step":1,"attempt":1,"request":{}}` + "\n"
			file, err := open(t, t.TempDir(), []byte(good+c.line+"\r\n\n"))
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			if got := describe(t, file, 2); got != c.want {
				t.Errorf("%s\n got %s\nwant %s", c.line, got, c.want)
			}
		})
	}
}

// describe settles the entries of a recording and says what a line is.
func describe(t *testing.T, file *File, line int64) string {
	for _, bad := range file.Bad {
		if bad.Line == line {
			return "bad: " + bad.Reason
		}
	}
	for _, e := range file.Entries {
		if e.Line != line {
			continue
		}
		if reason := file.Settle(e); reason != "" {
			return "bad: " + reason
		}
		text, err := file.Bytes(e)
		if err != nil {
			t.Fatal(err)
		}
		what := fmt.Sprintf("%s %s %s", e.SessionID, e.Key(), text)
		if len(file.Odd) > 0 {
			what += " odd"
		}
		return what
	}
	return "nothing"
}

// FuzzIndex checks that indexing and settling fail on no bytes, and that every line ends
// as what a reader of the whole line says.
func FuzzIndex(f *testing.F) {
	line := `{"sessionId":"s","turn":1,"step":2,"attempt":3,"request":{"a":"\"}"}}`
	f.Add([]byte(line + "\n" + line))
	f.Add([]byte(strings.Replace(line, `}}`, `},"turn":2,"request":{}}`, 1) + "\n{}\n"))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text []byte) {
		file, err := open(t, dir, text)
		if err != nil {
			return
		}
		defer file.Close()
		lines := bytes.Split(text, []byte("\n"))
		seen := len(file.Bad)
		for _, e := range file.Entries {
			seen++
			v, _, err := strictjson.Parse(lines[e.Line-1])
			if file.Settle(e) != "" {
				continue
			}
			got, _ := file.Bytes(e)
			if err != nil || !bytes.Equal(got, v.Lookup("request")) || e.SessionID != v.Lookup("sessionId").Text() {
				t.Fatalf("line %d of %q: %s %q", e.Line, text, e.SessionID, got)
			}
		}
		blank := 0
		for _, l := range lines {
			if len(bytes.Trim(l, " \t\r")) == 0 {
				blank++
			}
		}
		if seen+blank != len(lines) {
			t.Fatalf("%q: %d lines are entries or faults, %d blank, of %d", text, seen, blank, len(lines))
		}
	})
}
