package locate

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/logformat/sqlitestore"
	"github.com/dsh-verify/dsh-verify/objectstore"
)

var logFiles = []string{"session.jsonl", "session.jsonl.zstd"}

// inFolder finds the logs in a folder: a session's own, an unpacked export, or
// all below a store root or a harness home.
func inFolder(dir string) (*Place, error) {
	p := &Place{}
	if logs := p.sessionFolder(dir, "", ""); len(logs) > 0 {
		p.Logs = logs
		p.unpackedExport(dir)
		return p, nil
	}
	if err := p.walk(dir); err != nil {
		p.Close()
		return nil, err
	}
	if len(p.Logs) == 0 && len(p.Findings) == 0 {
		return nil, noSession(dir)
	}
	return p, nil
}

// sessionFolder returns the log in a session's folder. Two encodings of one
// session are a finding; the harness reads the one that its root is set to.
func (p *Place) sessionFolder(dir, root, storePath string) (logs []*Log) {
	for _, name := range logFiles {
		if path := filepath.Join(dir, name); isFile(path) {
			l := fileLog(path)
			l.Root, l.StorePath = root, storePath
			logs = append(logs, l)
		}
	}
	if len(logs) > 1 {
		p.find(finding.StoreTwoEncodings, "both session.jsonl and session.jsonl.zstd", dir)
	}
	p.leftovers(dir)
	return logs
}

// unpackedExport adds what an export archive holds beside its root session.
func (p *Place) unpackedExport(dir string) {
	if media := filepath.Join(dir, "media"); isFolder(media) {
		store := objectstore.OpenMedia(media)
		for _, l := range p.Logs {
			l.Media = store
		}
		for _, sub := range subfolders(filepath.Join(dir, "subagents")) {
			for _, l := range p.sessionFolder(sub, "", "") {
				l.Media = store
				p.Logs = append(p.Logs, l)
			}
		}
		return
	}
	for _, sub := range subfolders(filepath.Join(dir, "subagents")) {
		p.Logs = append(p.Logs, p.sessionFolder(sub, "", "")...)
	}
}

// maxDepth is how deep below a named folder sessions are looked for: a home
// holds them four levels down.
const maxDepth = 6

// walk adds every session below a folder.
func (p *Place) walk(dir string) error {
	ids := map[string]string{}
	encodings := map[string]map[string]bool{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			p.find(finding.InputUnreadable, err.Error(), path)
			return nil
		}
		rel, _ := filepath.Rel(dir, path)
		if d.IsDir() {
			if strings.Count(filepath.ToSlash(rel), "/") >= maxDepth || d.Name() == "attachments" || d.Name() == "node_modules" || d.Name() == ".git" {
				return fs.SkipDir
			}
			return nil
		}
		switch {
		case slices.Contains(logFiles, d.Name()):
			p.found(path, ids, encodings)
		case isDatabase(d.Name()):
			p.database(path)
		case isFlat(path, d.Name()):
			p.find(finding.StoreFlatFile, d.Name(), path)
		}
		return nil
	})
	for root, kinds := range encodings {
		if len(kinds) > 1 {
			p.find(finding.StoreMixed, fmt.Sprintf("%d encodings", len(kinds)), root)
		}
	}
	return err
}

// found adds one log of a walk.
func (p *Place) found(path string, ids map[string]string, encodings map[string]map[string]bool) {
	dir := filepath.Dir(path)
	l := fileLog(path)
	if root, storePath, ok := inStoreRoot(dir); ok {
		l.Root, l.StorePath = root, storePath
		if encodings[root] == nil {
			encodings[root] = map[string]bool{}
		}
		encodings[root][filepath.Base(path)] = true
		if other, twice := ids[filepath.Base(dir)]; twice && other != dir {
			p.find(finding.StoreDuplicate, "also in "+other, dir)
		}
		ids[filepath.Base(dir)] = dir
	}
	if filepath.Base(path) == logFiles[1] && isFile(filepath.Join(dir, logFiles[0])) {
		p.find(finding.StoreTwoEncodings, "both session.jsonl and session.jsonl.zstd", dir)
	}
	p.leftovers(dir)
	p.Logs = append(p.Logs, l)
}

// inStoreRoot tells a session's folder in a store root by the name of the
// project's folder above it.
func inStoreRoot(dir string) (root, storePath string, ok bool) {
	project := filepath.Base(filepath.Dir(dir))
	if project != logformat.NoCwdFolder && !(len(project) > 4 && strings.HasPrefix(project, "--") && strings.HasSuffix(project, "--")) {
		return "", "", false
	}
	return filepath.Dir(filepath.Dir(dir)), project + "/" + filepath.Base(dir), true
}

func isDatabase(name string) bool {
	switch filepath.Ext(name) {
	case ".db", ".sqlite", ".sqlite3":
		return true
	}
	return false
}

// database adds the sessions of a store below a walked folder; other databases
// are left alone.
func (p *Place) database(path string) {
	f, err := os.Open(path)
	if err != nil {
		return
	}
	ours := sqlitestore.HasApplicationID(f)
	f.Close()
	if !ours {
		return
	}
	inner, err := store(path)
	if err != nil {
		p.find(finding.InputUnreadable, err.Error(), path)
		return
	}
	p.Logs = append(p.Logs, inner.Logs...)
	p.closers = append(p.closers, inner.closers...)
}

// isFlat tells a log of the layout that was given up: a file of its own in a
// project's folder.
func isFlat(path, name string) bool {
	project := filepath.Base(filepath.Dir(path))
	return (strings.HasSuffix(name, ".jsonl") || strings.HasSuffix(name, ".jsonl.zstd")) && name != "requests.jsonl" &&
		(project == logformat.NoCwdFolder || strings.HasPrefix(project, "--") && strings.HasSuffix(project, "--"))
}

// leftovers reports temporary files in a session's folder.
func (p *Place) leftovers(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		name := e.Name()
		if strings.HasSuffix(name, ".tmp") || strings.HasPrefix(name, ".dsh-") || strings.HasPrefix(name, "session.jsonl") && !slices.Contains(logFiles, name) {
			p.find(finding.StoreLeftover, name, filepath.Join(dir, name))
		}
	}
}

func (p *Place) find(code, detail, path string) {
	f := finding.New(code, detail, finding.Place{Seq: -1, File: path})
	p.Findings = append(p.Findings, f)
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func subfolders(dir string) (dirs []string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if path := filepath.Join(dir, e.Name()); isFolder(path) {
			dirs = append(dirs, path)
		}
	}
	return dirs
}
