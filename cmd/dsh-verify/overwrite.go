package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/dsh-verify/dsh-verify/internal/evidence"
	"github.com/dsh-verify/dsh-verify/internal/policy"
	"github.com/dsh-verify/dsh-verify/logformat"
)

// keepInputs rejects an output that would take the place of evidence: of what the
// command reads, of what it would find beside that, and of any other file that holds
// what a verifier reads. It is asked before anything is read.
func keepInputs(cmd *cli.Command) error {
	in := inputsOf(cmd)
	for _, out := range outputPaths(cmd) {
		if why := in.losesTo(out.path); why != "" {
			return usagef("%s would overwrite an input: %s", out.flag, why)
		}
		switch kind, err := evidence.Of(out.path); {
		case err != nil: // a device, or what cannot be opened: writing says what is wrong
		case kind.IsEvidence():
			return usagef("%s would overwrite %s, %s: name a new file, or remove this one first", out.flag, out.path, kind)
		case in.holds(out.path) && (kind == evidence.JSON || kind == evidence.Binary):
			return usagef("%s would overwrite an input: %s is no report, and lies where the command reads", out.flag, out.path)
		}
	}
	return nil
}

// outputPaths returns the files that a command's flags have it write.
func outputPaths(cmd *cli.Command) (list []outputTarget) {
	for _, f := range cmd.Flags {
		switch name := f.Names()[0]; f.(type) {
		case *cli.StringSliceFlag:
			if name != "output" {
				continue
			}
			for _, value := range cmd.StringSlice(name) {
				if format, path, ok := strings.Cut(value, "="); ok {
					list = append(list, outputTarget{"--output " + value, format, path})
				}
			}
		case *cli.StringFlag:
			if path := cmd.String(name); path != "" && (name == "output" || name == "out") && cmd.Name != "record" {
				list = append(list, outputTarget{"--" + name + " " + path, "", path})
			}
		}
	}
	return slices.DeleteFunc(list, func(t outputTarget) bool { return t.path == "-" })
}

// inputs are what a command reads.
type inputs struct {
	files   []string // named, or beside what is named
	folders []string // in which logs are looked for
	stores  []string // of captured bodies or of objects: every file in them is read
}

// inputsOf returns what a command's arguments and flags have it read, and what goes
// with a log without being named.
func inputsOf(cmd *cli.Command) (in inputs) {
	for _, name := range []string{"recorded", "body", "config", "vocabulary", "file-ids", "attachments"} {
		if path := cmd.String(name); path != "" {
			in.stores = append(in.stores, path)
			in.files = append(in.files, path)
		}
	}
	for _, arg := range cmd.Args().Slice() {
		in.files = append(in.files, arg, filepath.Join(filepath.Dir(arg), "requests.jsonl"))
		in.folders = append(in.folders, arg, filepath.Dir(arg))
		if p, err := policy.Find(arg); cmd.String("config") == "" && err == nil && p.Path != "" {
			in.files = append(in.files, p.Path)
		}
	}
	return in
}

// losesTo returns the input whose place a file at out would take, "" when there is
// none.
func (in *inputs) losesTo(out string) string {
	info, err := os.Stat(out)
	exists := err == nil
	for _, path := range in.files {
		if at, err := os.Stat(path); exists && err == nil && os.SameFile(info, at) || sameName(out, path) && !isFolder(path) {
			return path
		}
		for _, suffix := range []string{"-wal", "-shm", "-journal"} { // of a SQLite store, there or not
			if sameName(out, path+suffix) {
				return path + suffix
			}
		}
	}
	for _, dir := range in.stores {
		if exists && isFolder(dir) && isBelow(out, dir) {
			return dir
		}
	}
	for _, dir := range in.folders {
		if isFolder(dir) && isBelow(out, dir) && (isLogFile(out) || exists && isObjectFile(out) || exists && hasIndex(out)) {
			return dir
		}
	}
	return ""
}

// holds reports whether a file lies where the command looks for logs.
func (in *inputs) holds(out string) bool {
	return slices.ContainsFunc(in.folders, func(dir string) bool { return isFolder(dir) && isBelow(out, dir) })
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// sameName reports whether two paths name one file. File systems exist for which
// case is no difference, so it is none here.
func sameName(a, b string) bool { return strings.EqualFold(resolved(a), resolved(b)) }

// hasIndex reports whether a file lies in a folder of captured bodies.
func hasIndex(path string) bool {
	_, err := os.Stat(filepath.Join(filepath.Dir(resolved(path)), "index.jsonl"))
	return err == nil
}

// isObjectFile tells the objects of a store and the images of an export by their
// place.
func isObjectFile(path string) bool {
	dir := filepath.Dir(resolved(path))
	store := strings.ToLower(filepath.Base(filepath.Dir(dir)))
	return store == "objects" || store == "request-images" || strings.EqualFold(filepath.Base(dir), "media")
}

// isLogFile tells the files that are read below a folder of logs by their names,
// in any case.
func isLogFile(path string) bool {
	name := strings.ToLower(filepath.Base(resolved(path)))
	if _, _, isLog := logformat.ParseFileName(name); isLog || name == "requests.jsonl" {
		return true
	}
	switch filepath.Ext(name) {
	case ".jsonl":
		return strings.HasPrefix(name, "session.")
	case ".zstd", ".zip", ".db", ".sqlite", ".sqlite3":
		return true
	case ".sum":
		return strings.HasPrefix(name, "requests.")
	}
	return name == policy.FileName
}

// resolved returns a path without links and relative parts. Of a file that is not
// there, its folder is resolved.
func resolved(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		return filepath.Join(dir, filepath.Base(path))
	}
	return path
}

// isBelow reports whether a file lies below a folder, links resolved, whatever the
// case of its path.
func isBelow(path, dir string) bool {
	rel, err := filepath.Rel(strings.ToLower(resolved(dir)), strings.ToLower(resolved(path)))
	return err == nil && filepath.IsLocal(rel)
}
