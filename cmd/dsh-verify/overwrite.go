package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/dsh-verify/dsh-verify/internal/policy"
)

// keepInputs rejects an output that would take the place of what the command
// reads. It is asked before anything is read.
func keepInputs(cmd *cli.Command) error {
	for _, out := range outputPaths(cmd) {
		info, err := os.Stat(out.path)
		if err != nil || !info.Mode().IsRegular() {
			continue // nothing is overwritten
		}
		for _, in := range inputPaths(cmd) {
			if at, err := os.Stat(in.path); err == nil && (os.SameFile(info, at) || at.IsDir() && in.reads != nil && in.reads(out.path) && isBelow(out.path, in.path)) {
				return usagef("%s would overwrite an input: %s", out.flag, in.path)
			}
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
			if path := cmd.String(name); path != "" && (name == "output" || name == "out") {
				list = append(list, outputTarget{"--" + name + " " + path, "", path})
			}
		}
	}
	return slices.DeleteFunc(list, func(t outputTarget) bool { return t.path == "-" })
}

// An inputPath is a file that a command reads, or a folder in which it reads some.
type inputPath struct {
	path  string
	reads func(path string) bool // of a folder: whether a file in it is read
}

// inputPaths returns what a command's arguments and flags have it read, and what
// goes with a log without being named.
func inputPaths(cmd *cli.Command) (list []inputPath) {
	for _, name := range []string{"recorded", "body", "config", "vocabulary", "file-ids"} {
		if path := cmd.String(name); path != "" {
			list = append(list, inputPath{path, isCaptureFile})
		}
	}
	if path := cmd.String("attachments"); path != "" {
		list = append(list, inputPath{path, isObjectFile})
	}
	for _, arg := range cmd.Args().Slice() {
		list = append(list, inputPath{arg, isLogFile}, inputPath{filepath.Join(filepath.Dir(arg), "requests.jsonl"), nil})
		if p, err := policy.Find(arg); cmd.String("config") == "" && err == nil && p.Path != "" {
			list = append(list, inputPath{p.Path, nil})
		}
	}
	return list
}

func isCaptureFile(path string) bool {
	return filepath.Ext(path) == ".json" || filepath.Base(path) == "index.jsonl"
}

func isObjectFile(path string) bool {
	dir := filepath.Base(filepath.Dir(filepath.Dir(path)))
	return dir == "objects" || dir == "request-images"
}

// isLogFile tells the files that are read below a folder of logs by their names.
func isLogFile(path string) bool {
	name := filepath.Base(path)
	switch filepath.Ext(name) {
	case ".jsonl":
		return strings.HasPrefix(name, "session.") || name == "requests.jsonl"
	case ".zstd", ".zip", ".db", ".sqlite", ".sqlite3":
		return true
	case ".sum":
		return strings.HasPrefix(name, "requests.")
	}
	return isObjectFile(path) || filepath.Base(filepath.Dir(path)) == "media"
}

// isBelow reports whether a file lies below a folder, links resolved.
func isBelow(path, dir string) bool {
	resolved := func(p string) string {
		if abs, err := filepath.Abs(p); err == nil {
			p = abs
		}
		if real, err := filepath.EvalSymlinks(p); err == nil {
			p = real
		}
		return p
	}
	rel, err := filepath.Rel(resolved(dir), resolved(path))
	return err == nil && filepath.IsLocal(rel)
}
