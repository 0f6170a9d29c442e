// Package traffic reads captured HTTP traffic: a folder of request bodies, with or
// without an index.jsonl, and HAR 1.2 files from any proxy. It yields the bodies
// that were posted, byte for byte where the capture kept them so, and says of the
// others why they cannot be compared.
//
// Both are JSON that others wrote, read by package strictjson: of members that stand
// twice the last counts. What is odd about a capture is a [Flaw] of it.
//
// Secrets that a capture may hold (authorization, cookies) are never kept.
package traffic

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/dsh-verify/dsh-verify/internal/regular"
	"github.com/dsh-verify/dsh-verify/internal/strictjson"
	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

// A File is what a capture holds.
type File struct {
	Path   string
	Bodies []*Body
	Flaws  []Flaw
	// Others says of a HAR without a body what it holds instead, "" for nothing.
	Others string
}

// EndsEarly reports whether the capture was cut: then it may lack bodies.
func (f *File) EndsEarly() bool {
	for _, flaw := range f.Flaws {
		if flaw.Kind == EndsEarly {
			return true
		}
	}
	return false
}

// FlawKind is what is odd about a capture.
type FlawKind string

// The kinds of flaw.
const (
	EndsEarly FlawKind = "ends early" // inside of the JSON
	Behind    FlawKind = "behind"     // something follows the end of the JSON
	Repeated  FlawKind = "repeated"   // a member stands twice
	NotUTF8   FlawKind = "not UTF-8"
	TwoNames  FlawKind = "two sessions" // a body names two sessions
	Unlisted  FlawKind = "unlisted"     // a body in the folder that its index does not list
)

// A Flaw is something that is odd about a capture.
type Flaw struct {
	Kind   FlawKind
	Detail string
}

func (f *File) flaw(kind FlawKind, detail string) { f.Flaws = append(f.Flaws, Flaw{kind, detail}) }

// oddities notes what is odd about a JSON text of the capture.
func (f *File) oddities(where string, odd strictjson.Oddities) {
	if where != "" {
		where += ": "
	}
	if odd.NotUTF8 > 0 {
		f.flaw(NotUTF8, where+strictjson.Oddities{NotUTF8: odd.NotUTF8, NotUTF8At: odd.NotUTF8At}.String())
	}
	if odd.NotUTF8 = 0; odd.Duplicates > 0 {
		f.flaw(Repeated, where+odd.String())
	}
}

// Is reports whether a path may be a capture: a folder, or a file that starts as
// JSON with a log member.
func Is(path string) bool {
	info, err := os.Stat(path)
	if err != nil {
		return false
	}
	if info.IsDir() {
		return true
	}
	f, err := regular.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	return strings.EqualFold(filepath.Ext(path), ".har") || startsAsHAR(f)
}

var errFound = errors.New("found")

// startsAsHAR reports whether the beginning of a text is that of a HAR file.
func startsAsHAR(in io.Reader) bool {
	r := strictjson.NewReader(io.LimitReader(in, 1<<16))
	return errors.Is(r.Object(func(name string) error {
		if kind, err := r.Kind(); err == nil && name == "log" && kind == ecmajson.Object {
			return errFound
		}
		return nil
	}), errFound)
}

// Open reads the capture at path.
func Open(path string) (*File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return openFolder(path)
	}
	return openHAR(path, info.Size())
}
