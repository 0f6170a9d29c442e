package source

import (
	"regexp"
	"strings"

	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/logformat/container/authored"
)

// Files is what the names in one folder say of the session in it. It is the
// one place that chooses what is read of a session.
type Files struct {
	// Logs are the files of the newest generation: one, or two where it is there in
	// both encodings, the plain one first.
	Logs []string
	// Older are the files of lower generations, from the newest to the oldest. They are
	// never read in place of the newest.
	Older []string
	// Absent is the placeholder of the newest generation where no file of it is there.
	Absent string
	// Copies are files whose names look like a log's, and that no harness reads.
	Copies []string
	// Leftovers are temporary files.
	Leftovers []string
}

// Choose sorts out the names of a folder's files.
func Choose(names []string) Files {
	var s Files
	var canonical []string
	file := make(map[string]string) // by canonical name
	for _, name := range names {
		stands := standsFor(name)
		switch {
		case stands == "" && isLeftover(name):
			s.Leftovers = append(s.Leftovers, name)
		case stands == "" && looksLikeLog(name):
			s.Copies = append(s.Copies, name)
		case stands == "":
		case file[stands] == "":
			canonical = append(canonical, stands)
			file[stands] = name
		case name == stands: // the file that a placeholder stood for is there
			s.Leftovers = append(s.Leftovers, file[stands])
			file[stands] = name
		default:
			s.Leftovers = append(s.Leftovers, name)
		}
	}
	newest, older := logformat.Generations(canonical)
	for _, name := range newest {
		if file[name] == name {
			s.Logs = append(s.Logs, name)
		} else if s.Absent == "" {
			s.Absent = file[name]
		}
	}
	if len(s.Logs) > 0 {
		s.Absent = ""
	}
	for _, name := range older {
		s.Older = append(s.Older, file[name])
	}
	return s
}

// Encodings returns the newest plain and the newest compressed file, "" where there is
// none.
func (s *Files) Encodings() (plain, compressed string) {
	for _, names := range [][]string{s.Logs, {s.Absent}, s.Older} {
		for _, name := range names {
			_, isCompressed, ok := logformat.ParseFileName(standsFor(name))
			switch {
			case !ok:
			case isCompressed && compressed == "":
				compressed = name
			case !isCompressed && plain == "":
				plain = name
			}
		}
	}
	return plain, compressed
}

// NewerThan returns the first file of the newest generation where that is newer than
// the named file's, "" where it is not, or where the name is no generation's.
func (s *Files) NewerThan(name string) string {
	own, _, ok := logformat.ParseFileName(name)
	newest := s.Absent
	if len(s.Logs) > 0 {
		newest = s.Logs[0]
	}
	if version, _, _ := logformat.ParseFileName(standsFor(newest)); ok && version > own {
		return newest
	}
	return ""
}

// standsFor returns the name of the generation that a file is, or that it is the
// placeholder of; "" for all other files.
func standsFor(name string) string {
	if hidden, ok := strings.CutSuffix(name, ".icloud"); ok { // as iCloud leaves for a file that it moved out
		name = strings.TrimPrefix(hidden, ".")
	}
	if _, _, ok := logformat.ParseFileName(name); !ok {
		return ""
	}
	return name
}

// isLeftover recognises a temporary file that the harness, or this program, left.
func isLeftover(name string) bool {
	return name != policyFile && (strings.HasSuffix(name, ".tmp") || strings.HasPrefix(name, ".dsh-"))
}

// policyFile is this program's own file.
const policyFile = ".dsh-verify.yaml"

var nearLog = regexp.MustCompile(`(?i)^\.?session([^a-z].*)?\.jsonl`)

// looksLikeLog recognises names that are nearly a log's: copies that a sync program or
// a person made, backups, and numbers that are written otherwise.
func looksLikeLog(name string) bool {
	if number, ok := authored.Number(name); ok && number != "" {
		return false // the child of an authored transcript
	}
	return nearLog.MatchString(name)
}
