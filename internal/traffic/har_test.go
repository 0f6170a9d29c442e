package traffic

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

const chat = `"method":"POST","url":"https://example.test/v1/chat/completions?x=1"`

// entry is an entry of a HAR with a body.
func entry(text string) string {
	return `{"request":{` + chat + `,"headers":[{"name":"X-DeepSeek-Harness-Session-Id","value":"ses"}],"postData":{"text":` + quote(text) + `}}}`
}

func quote(text string) string { return string(ecmajson.AppendString(nil, text)) }

func har(entries ...string) string {
	return `{"log":{"version":"1.2","entries":[` + strings.Join(entries, ",") + `]}}`
}

// TestHAR reads HAR files as JSON.parse does, and says what it makes of each.
func TestHAR(t *testing.T) {
	a, b := entry(`{"a":1}`), entry(`{"b":1}`)
	for _, c := range []struct {
		name, text, want string
	}{
		{"plain", har(a, b), `{"a":1} {"b":1}`},
		{"a byte order mark", "\xef\xbb\xbf" + har(a), `{"a":1}`},
		{"entries twice: the last", strings.Replace(har(a), `]}}`, `],"entries":[`+b+`]}}`, 1), `{"b":1} repeated`},
		{"log twice: the last", strings.TrimSuffix(har(a), "}") + `,"log":{"entries":[` + b + `]}}`, `{"b":1} repeated`},
		{"log again, without entries", strings.TrimSuffix(har(a), "}") + `,"log":{}}`, `error: it is no HAR file: it has no log.entries`},
		{"log again, as text", strings.TrimSuffix(har(a), "}") + `,"log":"x"}`, `error: it is no HAR file: it has no log.entries`},
		{"a name in other letters", strings.Replace(har(a), `"entries"`, `"Entries"`, 1), `error: it is no HAR file: it has no log.entries`},
		{"a name with an escape", strings.Replace(har(a), `"entries"`, `"entr\u0069es"`, 1), `{"a":1}`},
		{"text twice: the last", har(strings.Replace(a, `"postData":{`, `"postData":{"text":"x",`, 1)), `{"a":1} repeated`},
		{"text in other letters", har(strings.Replace(a, `"text"`, `"Text"`, 1)), `(the capture did not keep its body)`},
		{"request again", har(strings.Replace(a, `{"request":`, `{"request":{"method":"GET"},"request":`, 1)), `{"a":1} repeated`},
		{"request again, as null", har(strings.TrimSuffix(a, "}") + `,"request":null}`), `repeated`},
		{"the method in small letters", har(strings.Replace(a, "POST", "post", 1)), `{"a":1}`},
		{"another path", har(strings.Replace(a, "completions", "complete", 1)), ``},
		{"cut after the entries", strings.TrimSuffix(har(a), "}}"), `{"a":1} ends early`},
		{"cut before the bracket", strings.TrimSuffix(har(a), "]}}"), `{"a":1} ends early`},
		{"cut after a comma", strings.TrimSuffix(har(a), "]}}") + ",", `{"a":1} ends early`},
		{"cut in an entry", strings.TrimSuffix(har(a, b), `}}]}}`), `{"a":1} ends early`},
		{"cut before the entries", `{"log":{"version":`, `error: it is no HAR file: it ends too early, at byte 18`},
		{"something after", har(a) + ` {}`, `{"a":1} behind`},
		{"a fault between entries", strings.Replace(har(a, b), "}}},", "}}};", 1), `error: it is not JSON at byte`},
		{"not UTF-8 in the text", strings.Replace(har(a), `\"a\"`, "\\\"\xff\\\"", 1), `(the capture holds bytes there that are not UTF-8, so it does not say what was sent) not UTF-8`},
		{"not UTF-8 elsewhere", strings.Replace(har(a), "1.2", "1.\xff", 1), `{"a":1} not UTF-8`},
		{"half a surrogate pair", strings.Replace(har(a), `\"a\"`, `\"\ud83d\"`, 1), "{\"\xed\xa0\xbd\":1}"},
		{"two sessions", har(strings.Replace(a, `"headers":[`, `"headers":[{"name":"x-deepseek-harness-session-id","value":"other"},`, 1)), `{"a":1} two sessions`},
		{"cut by the capture", har(strings.Replace(a, `"postData":{`, `"postData":{"_truncated":true,`, 1)), `(the capture says that it is truncated)`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := describe(readHAR("x.har", strings.NewReader(c.text), 0)); got != c.want && !(strings.HasPrefix(c.want, "error") && strings.HasPrefix(got, c.want)) {
				t.Errorf("%s\n got %s\nwant %s", c.text, got, c.want)
			}
		})
	}
}

// describe says what was read, in a line.
func describe(file *File, err error) string {
	if err != nil {
		return "error: " + strings.TrimPrefix(err.Error(), "x.har: ")
	}
	var parts []string
	for _, b := range file.Bodies {
		text, err := b.Bytes()
		switch {
		case b.Incomparable != "":
			parts = append(parts, "("+b.Incomparable+")")
		case err != nil:
			parts = append(parts, "("+err.Error()+")")
		default:
			parts = append(parts, string(text))
		}
		if b.Doubt != "" {
			parts = append(parts, "doubt: "+b.Doubt)
		}
	}
	for _, f := range file.Flaws {
		parts = append(parts, string(f.Kind))
	}
	return strings.Join(parts, " ")
}

// TestEncodings undoes what clients and exporters make of a body, and takes nothing
// for one that goes on after its compressed end.
func TestEncodings(t *testing.T) {
	body := `{"é":"漢"}`
	var gz, zl bytes.Buffer
	w := gzip.NewWriter(&gz)
	w.Write([]byte(body))
	w.Close()
	z := zlib.NewWriter(&zl)
	z.Write([]byte(body))
	z.Close()
	mapped := make([]rune, 0, len(body))
	for _, c := range []byte(body) {
		mapped = append(mapped, rune(c))
	}
	post := func(text, more, headers string) string {
		return har(`{"request":{` + chat + `,"headers":[` + headers + `],"postData":{"text":` + quote(text) + more + `}}}`)
	}
	in64 := func(b []byte, more string) string { return base64.StdEncoding.EncodeToString(b) + more }
	header := func(name, value string) string { return `{"name":"` + name + `","value":"` + value + `"}` }
	length := header("content-length", fmt.Sprint(len(body)))
	flag := `,"encoding":"base64"`
	for _, c := range []struct{ name, text, want string }{
		{"base64", post(in64([]byte(body), ""), flag, ""), body},
		{"base64 that says so in capitals", post(in64([]byte(body), ""), `,"encoding":"BASE64"`, ""), body},
		{"base64 that does not say so", post(in64([]byte(body), ""), "", ""), body},
		{"bad base64", post("e30", flag, ""), "(its base64 does not decode)"},
		{"gzip", post(in64(gz.Bytes(), ""), flag, header("Content-Encoding", "gzip")), body},
		{"gzip, and more", post(in64(append(slices.Clone(gz.Bytes()), "more"...), ""), flag, header("Content-Encoding", "gzip")), "(its gzip body does not decode: unexpected EOF)"},
		{"deflate", post(in64(zl.Bytes(), ""), flag, header("Content-Encoding", "deflate")), body},
		{"deflate, and more", post(in64(append(slices.Clone(zl.Bytes()), "more"...), ""), flag, header("Content-Encoding", "deflate")), "(its deflate body does not decode: something follows its end)"},
		{"raw deflate, and more", post(in64(append(slices.Clone(zl.Bytes()[2:zl.Len()-4]), "more"...), ""), flag, header("Content-Encoding", "deflate")), "(its deflate body does not decode: something follows its end)"},
		{"undone already", post(body, "", header("Content-Encoding", "gzip")), body},
		{"an encoding that is not known", post("x", "", header("Content-Encoding", "br")), "(its br body does not decode: the encoding is not known)"},
		{"bytes as characters", post(string(mapped), "", length), body},
		{"bytes lost", post(body[:4], "", length), body[:4] + " doubt: the capture kept 4 of its 12 bytes"},
		{"bytes replaced", post("{\"\ufffd\ufffd\":\"\ufffd\ufffd\ufffd\"}", "", length), "{\"\ufffd\ufffd\":\"\ufffd\ufffd\ufffd\"} doubt: the capture has replacement characters where it could not read bytes"},
		{"a length that is not the body's", post(body+" ", "", length), body + " "},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := describe(readHAR("x.har", strings.NewReader(c.text), 0)); got != c.want {
				t.Errorf("%s\n got %s\nwant %s", c.text, got, c.want)
			}
		})
	}
}

// TestFolder reads folders of bodies.
func TestFolder(t *testing.T) {
	for _, c := range []struct{ name, index, want string }{
		{"listed", `{"file":"1.json","sessionId":"ses"}` + "\n\n" + `{"file":"2.json"}`, `{"messages":1} {"messages":2}`},
		{"file twice: the last", `{"file":"2.json","file":"1.json"}` + "\n" + `{"file":"2.json"}`, `{"messages":1} {"messages":2} repeated`},
		{"one that is not listed", `{"file":"1.json"}`, `{"messages":1} {"messages":2} unlisted`},
		{"none listed", ``, `{"messages":1} {"messages":2} unlisted unlisted`},
		{"a name in other letters", `{"File":"1.json"}`, `error: index.jsonl, line 1: it names no file of this folder as its file: ""`},
		{"outside", `{"file":"../1.json"}`, `error: index.jsonl, line 1: it names no file of this folder as its file: "../1.json"`},
		{"something after", `{"file":"1.json"} {}`, `error: index.jsonl, line 1: it is not JSON: unexpected byte "{" at byte 18`},
		{"two sessions", `{"file":"1.json","sessionId":"a","headers":{"x-deepseek-harness-session-id":"b"}}` + "\n" + `{"file":"2.json"}`, `{"messages":1} {"messages":2} two sessions`},
		{"a space that JSON does not know", "{\"file\":\"1.json\"}\n\u00a0", `error: index.jsonl, line 2: it is not JSON: unexpected byte "\xc2" at byte 0`},
		{"a session that is no text", `{"file":"1.json","sessionId":7}`, `error: index.jsonl, line 1: its sessionId is no text`},
		{"not there", `{"file":"3.json"}` + "\n" + `{"file":"1.json"}` + "\n" + `{"file":"2.json"}`, `(the file is not there) {"messages":1} {"messages":2}`},
		{"not UTF-8", "{\"file\":\"1.json\",\"x\":\"\xff\"}\n{\"file\":\"2.json\"}", `{"messages":1} {"messages":2} not UTF-8`},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range map[string]string{"index.jsonl": c.index, "1.json": `{"messages":1}`, "2.json": `{"messages":2}`, "other.json": `{}`} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			file, err := Open(dir)
			if got := strings.ReplaceAll(describe(file, err), dir+string(filepath.Separator), ""); got != c.want {
				t.Errorf(" got %s\nwant %s", got, c.want)
			}
		})
	}
}

func digestOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// TestChangedSince compares bodies with what the index says of their bytes.
func TestChangedSince(t *testing.T) {
	const digest = "b36cc45a51b3fa67d4ac5c3a75e9b4b3c40e59e4c6ed66a0c1fd2cbd3d4f2c75"
	dir := t.TempDir()
	sum := digestOf(`{"messages":1}`)
	for _, c := range []struct{ name, line, text, want, changed string }{
		{"as it was", `"bytes":14,"sha256":"` + sum + `"`, `{"messages":1}`, `{"messages":1}`, ""},
		{"a line feed more", `"bytes":14,"sha256":"` + sum + `"`, "{\"messages\":1}\n", `{"messages":1}`, "a line feed was added"},
		{"another length", `"bytes":15`, `{"messages":1}`, `{"messages":1}`, "14 bytes, with another length or digest than the index has"},
		{"another digest", `"sha256":"` + digest + `"`, `{"messages":1}`, `{"messages":1}`, "14 bytes, with another length or digest than the index has"},
	} {
		os.WriteFile(filepath.Join(dir, "index.jsonl"), []byte(`{"file":"1.json",`+c.line+`}`), 0o600)
		os.WriteFile(filepath.Join(dir, "1.json"), []byte(c.text), 0o600)
		file, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		b := file.Bodies[0]
		if got, err := b.Bytes(); err != nil || string(got) != c.want || b.Changed != c.changed {
			t.Errorf("%s: %q, changed %q, %v", c.name, got, b.Changed, err)
		}
	}
}
