package protocol_test

import (
	"testing"

	"github.com/dsh-verify/dsh-verify/internal/protocol"
	"github.com/dsh-verify/dsh-verify/reconstruct/wire"
)

func TestChoice(t *testing.T) {
	for _, c := range []struct {
		of   string
		got  wire.Protocol
		want string
	}{
		{"the name", protocol.Named("deepseek"), "deepseek"},
		{"another name", protocol.Named("chat"), ""},
		{"a path", protocol.ForPath("/v1/chat/completions"), "deepseek"},
		{"the files", protocol.ForPath("/v1/files"), ""},
		{"a path below", protocol.ForPath("/chat/completions/1"), ""},
		{"a body", protocol.Of([]byte(`{"model":"m","messages":[],"stream":true,"stream_options":{"include_usage":true}}`)), "deepseek"},
		{"a request", protocol.Of([]byte(`{"model":"m","messages":[]}`)), ""},
		{"a list", protocol.Of([]byte(`[]`)), ""},
		{"no JSON", protocol.Of([]byte(`{"stream_options":`)), ""},
	} {
		got := ""
		if c.got != nil {
			got = c.got.Name()
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.of, got, c.want)
		}
	}
}
