package jsonerror_test

import (
	"encoding/json"
	"io"
	"testing"

	"github.com/dsh-verify/dsh-verify/internal/jsonerror"
)

func TestReason(t *testing.T) {
	var v struct {
		Request struct{ Method string }
	}
	for text, want := range map[string]string{
		`{"request":{"method":1}}`: "its member request.method has a value of another kind than belongs there: number",
		`[]`:                       "the document has a value of another kind than belongs there: array",
		`{"request":}`:             "it is not JSON at byte 12: invalid character '}' looking for beginning of value",
	} {
		if got := jsonerror.Reason(json.Unmarshal([]byte(text), &v)); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	if got := jsonerror.Reason(io.ErrUnexpectedEOF); got != "it ends inside a value" {
		t.Error(got)
	}
}
