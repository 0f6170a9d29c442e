package text_test

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"testing"

	"github.com/dsh-verify/dsh-verify/internal/text"
)

func TestCount(t *testing.T) {
	for n, want := range map[int]string{0: "0 requests", 1: "1 request", 2: "2 requests"} {
		if got := text.Count(n, "request"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestList(t *testing.T) {
	names := []string{"a", "b", "c"}
	for most, want := range map[int]string{1: "a and 2 more", 2: "a, b and 1 more", 3: "a, b, c", 4: "a, b, c"} {
		if got := text.List(names, most); got != want {
			t.Errorf("at most %d: %q, want %q", most, got, want)
		}
	}
	if got := text.List(nil, 3); got != "" {
		t.Errorf("of none: %q", got)
	}
}

func TestCause(t *testing.T) {
	missing := &fs.PathError{Op: "open", Path: "no-such", Err: syscall.ENOENT}
	for _, c := range []struct {
		err  error
		want string
	}{
		{errors.New("too long"), "too long"},
		{missing, "no-such: " + syscall.ENOENT.Error()},
		{fmt.Errorf("while reading: %w", missing), "no-such: " + syscall.ENOENT.Error()},
	} {
		if got := text.Cause(c.err); got != c.want {
			t.Errorf("%v: %q, want %q", c.err, got, c.want)
		}
	}
}

func TestOr(t *testing.T) {
	for want, words := range map[string][]string{"": nil, "a": {"a"}, "a or b": {"a", "b"}, "a, b or c": {"a", "b", "c"}} {
		if got := text.Or(words); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
