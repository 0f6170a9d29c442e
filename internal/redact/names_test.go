package redact_test

import (
	"strings"
	"testing"

	"github.com/dsh-verify/dsh-verify/internal/redact"
)

func TestPointer(t *testing.T) {
	r := redact.New([]byte{1})
	for _, c := range []struct {
		pointer string
		want    []string
	}{
		{"", []string{""}},
		{"/messages/12/content/0/text", []string{"", "messages", "12", "content", "0", "text"}},
		{"/tools/0/parameters", []string{"", "tools", "0", "parameters"}},
		{"/tools/0/parameters/properties/secret~1key/name", []string{"", "tools", "0", "parameters", r.Text("properties"), r.Text("secret/key"), r.Text("name")}},
		{"/messages/1/content/0/arguments/4111", []string{"", "messages", "1", "content", "0", "arguments", r.Text("4111")}},
		{"/extra/model/0", []string{"", r.Text("extra"), r.Text("model"), r.Text("0")}},
		{"/4111111111111111", []string{"", r.Text("4111111111111111")}},
	} {
		if got, want := r.Pointer(c.pointer), strings.Join(c.want, "/"); got != want {
			t.Errorf("%s: %s, want %s", c.pointer, got, want)
		}
	}
	var none *redact.Redactor
	if got := none.Pointer("/extra") + none.Member("extra") + none.Word("odd") + none.Name("n"); got != "/extraextraoddn" {
		t.Errorf("without a redactor: %s", got)
	}
}

func TestNames(t *testing.T) {
	r := redact.New([]byte{1})
	if id := "sha256:" + strings.Repeat("0a", 32); r.Object(id) != id || r.Object("") != "" || r.Object("sha256:lamp") != r.Text("sha256:lamp") {
		t.Error("an attachment's id is not told from a text")
	}
	if r.Member("model") != "model" || r.Word("tool-call") != "tool-call" || r.Name("") != "" {
		t.Error("a word of the format is redacted")
	}
	if r.Member("extra") != r.Text("extra") || r.Word("odd") != r.Text("odd") || r.Name("bash") != r.Text("bash") {
		t.Error("a text is not redacted as texts are")
	}
}
