package source

import (
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/logformat"
)

// A location is where a session's folder lies in a store root, <root>/--project--/<id>/.
type location struct {
	root, storePath string
	// judged says that the root is a harness's own, …/sessions/: what lies there must
	// lie where its header says. A copy may lie in any folder, whatever its name.
	judged bool
}

// sessionsFolder is what the harness calls the store root in its home.
const sessionsFolder = "sessions"

// locationOf recognises a session's folder by the name of the project's folder above
// it, however the folder is named from here.
func locationOf(dir string) (at location, ok bool) {
	whole, err := filepath.Abs(dir)
	if err != nil {
		return location{}, false
	}
	at, ok = inPath(filepath.ToSlash(whole))
	if ok {
		at.root = filepath.Join(dir, "..", "..")
	}
	return at, ok
}

// samePlace reports whether a folder below the log's root is the one that it lies in.
func (l *Log) samePlace(storePath string) bool {
	there, err := os.Stat(filepath.Join(l.Root, filepath.FromSlash(storePath)))
	if err != nil || l.Root == "" {
		return false
	}
	here, err := os.Stat(l.Dir)
	return err == nil && os.SameFile(here, there)
}

// inPath is the same of a slash-separated path that is not on disk.
func inPath(dir string) (location, bool) {
	project, root := path.Dir(dir), path.Dir(path.Dir(dir))
	if !logformat.IsProjectFolder(path.Base(project)) {
		return location{}, false
	}
	return location{root, path.Base(project) + "/" + path.Base(dir), path.Base(root) == sessionsFolder}, true
}

// InRoot returns the log of the session with an id in a store root, nil when none or
// more than one has it.
func InRoot(root, id string) *Log {
	folder := logformat.EncodeID(id)
	projects, err := os.ReadDir(root)
	if err != nil || folder == "" {
		return nil
	}
	var found []string
	for _, p := range projects {
		dir := filepath.Join(root, p.Name(), folder)
		if logs := FilesOf(dir).Logs; len(logs) > 0 {
			found = append(found, filepath.Join(dir, logs[0]))
		}
	}
	if len(found) != 1 {
		return nil
	}
	return fileLog(found[0])
}

// FilesOf sorts out the files of a folder; of one that cannot be read there are none.
func FilesOf(dir string) Files {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return Files{}
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return Choose(names)
}

// roots holds what only a store root as a whole shows: ids that stand twice, and logs
// of both encodings.
type roots struct {
	ids               map[string]string // root and folder name to the folder
	plain, compressed map[string]bool   // roots
}

func newRoots() roots {
	return roots{map[string]string{}, map[string]bool{}, map[string]bool{}}
}

// note takes the files of a session's folder in a root.
func (r *roots) note(p *Place, root, dir string, s *Files) {
	plain, compressed := s.Encodings()
	if plain != "" {
		r.plain[root] = true
	}
	if compressed != "" {
		r.compressed[root] = true
	}
	if len(s.Logs) == 0 {
		return
	}
	id := root + "\x00" + filepath.Base(dir)
	if other, twice := r.ids[id]; twice {
		p.find(finding.StoreDuplicate, "also in "+other, dir)
	}
	r.ids[id] = dir
}

// finish reports the roots with logs of both encodings.
func (r *roots) finish(p *Place) {
	for _, root := range slices.Sorted(maps.Keys(r.plain)) {
		if r.compressed[root] {
			p.find(finding.StoreMixed, "session.jsonl and session.jsonl.zstd", root)
		}
	}
}
