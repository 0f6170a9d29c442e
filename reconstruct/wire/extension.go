package wire

import (
	"bytes"

	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

// An Extension is a top-level member that something appended after the last member of
// a body: from release 0.1.2 on plugins do, one of them by default. It is no part of
// the request.
type Extension struct {
	Name  string
	Value ecmajson.Value // as captured
}

// Extensions are the members after a body's last.
type Extensions struct {
	Members []Extension
	// Foreign is set where they are not as JSON.stringify prints them: with white
	// space, a name twice, or another spelling of a value.
	Foreign bool
}

// The names of extensions that releases are known to append.
const (
	SessionLog     = "dsh_session_log"     // the log's events since the last post
	PluginPackages = "dsh_plugin_packages" // the packages that are active
)

// KnownExtension reports whether releases append a member of the name.
func KnownExtension(name string) bool { return name == SessionLog || name == PluginPackages }

// CutExtensions takes a captured body of a protocol apart: what the adapter wrote, with its closing
// brace and whatever was captured after it, and the members that were appended to it. A member that is no extension by
// its name ends nothing: where one follows, the body is returned as it is.
func CutExtensions(p Protocol, captured []byte) ([]byte, Extensions) {
	var x Extensions
	if _, err := ecmajson.Check(captured); err != nil || len(captured) == 0 || captured[0] != '{' {
		return captured, x
	}
	cut := -1 // the comma before the first extension
	for m := range members(captured) {
		switch name := m.key.Text(); {
		case !p.Writes(name):
			if cut < 0 {
				cut = m.before
			}
			x.Members = append(x.Members, Extension{name, m.value})
		case cut >= 0:
			return captured, Extensions{}
		}
	}
	if cut <= 0 {
		return captured, Extensions{}
	}
	end := bytes.LastIndexByte(captured, '}')
	form, err := ecmajson.Check(append([]byte{'{'}, captured[cut+1:end+1]...))
	x.Foreign = err != nil || !form.Canonical()
	return append(captured[:cut:cut], captured[end:]...), x
}

// A member is one of a captured object.
type member struct {
	before     int // the comma before it, or the brace
	key, value ecmajson.Value
}

// members yields the members of an object, which src starts with, in their order.
func members(src []byte) func(yield func(member) bool) {
	return func(yield func(member) bool) {
		for at := 0; src[at] != '}'; {
			m := member{before: at}
			start := skipSpace(src, at+1)
			if src[start] == '}' {
				return
			}
			end := ecmajson.Skip(src, start)
			m.key = ecmajson.Value(src[start:end:end])
			start = skipSpace(src, skipSpace(src, end)+1) // after the colon
			end = ecmajson.Skip(src, start)
			m.value = ecmajson.Value(src[start:end:end])
			if !yield(m) {
				return
			}
			at = skipSpace(src, end)
		}
	}
}

func skipSpace(src []byte, at int) int {
	for src[at] <= ' ' {
		at++
	}
	return at
}
