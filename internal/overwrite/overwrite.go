// Package overwrite keeps outputs from taking the place of inputs.
//
// An output loses where it would overwrite what a command reads, what the command would
// find beside that, or any other file that holds what a verifier reads. Names are
// compared as a file system may compare them: links of both kinds are followed, and case
// is no difference. Nothing is opened but the file that stands at the output's place.
package overwrite

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/dsh-verify/dsh-verify/internal/evidence"
)

// Inputs are what a command reads. The zero Inputs are none.
type Inputs struct {
	files   []string // named, or beside what is named
	folders []string // in which logs are looked for
	stores  []string // of captured bodies or of objects: every file in them is read
}

// Add adds files that are read, and folders of which every file is; "" is none.
func (in *Inputs) Add(paths ...string) {
	for _, path := range paths {
		if path != "" {
			in.stores = append(in.stores, path)
			in.files = append(in.files, path)
		}
	}
}

// AddLog adds a log or a place of logs, and what goes with it without being named; policy
// is the path of the policy that governs it, "" when none does.
func (in *Inputs) AddLog(arg, policy string) {
	in.files = append(in.files, arg, filepath.Join(filepath.Dir(arg), "requests.jsonl"))
	in.folders = append(in.folders, arg, filepath.Dir(arg))
	if policy != "" {
		in.files = append(in.files, policy)
	}
}

// Refuse returns why a file at out must not be written, as what ends a sentence that
// begins with what asks for it; "" when it may be.
func (in *Inputs) Refuse(out string) string {
	if path := in.losesTo(out); path != "" {
		return "would overwrite an input: " + path
	}
	switch kind, err := evidence.Of(out); {
	case err != nil: // a device, or what cannot be opened: writing says what is wrong
	case kind.IsEvidence():
		return fmt.Sprintf("would overwrite %s, %s: name a new file, or remove this one first", out, kind)
	case in.holds(out) && (kind == evidence.JSON || kind == evidence.Binary):
		return fmt.Sprintf("would overwrite an input: %s is no report, and lies where the command reads", out)
	}
	return ""
}

// losesTo returns the input whose place a file at out would take, "" when there is
// none.
func (in *Inputs) losesTo(out string) string {
	for _, path := range in.files {
		if lost := takesPlace(out, path); lost != "" {
			return lost
		}
	}
	_, err := os.Stat(out)
	exists := err == nil
	for _, dir := range in.stores {
		if exists && isInFolder(out, dir) {
			return dir
		}
	}
	for _, dir := range in.folders {
		if isInFolder(out, dir) && (isLogFile(out) || exists && (isObjectFile(out) || hasIndex(out))) {
			return dir
		}
	}
	return ""
}

// takesPlace returns the file whose place one at out would take: path, or what belongs to
// it if it is a SQLite store, there or not; "" for none.
func takesPlace(out, path string) string {
	if sameFile(out, path) || sameName(out, path) && !isFolder(path) {
		return path
	}
	for _, suffix := range []string{"-wal", "-shm", "-journal"} {
		if sameName(out, path+suffix) {
			return path + suffix
		}
	}
	return ""
}

// holds reports whether a file lies where the command looks for logs.
func (in *Inputs) holds(out string) bool {
	return slices.ContainsFunc(in.folders, func(dir string) bool { return isInFolder(out, dir) })
}
