package logformat

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// FileName returns the name of a log's file: session.jsonl for version 0 and
// session.vN.jsonl for a later one, with .zstd after it where it is compressed.
func FileName(version int64, compressed bool) string {
	name := "session.jsonl"
	if version > unnumbered {
		name = "session.v" + strconv.FormatInt(version, 10) + ".jsonl"
	}
	if compressed {
		name += zstdSuffix
	}
	return name
}

const zstdSuffix = ".zstd"

// unnumbered is the generation whose file has a name without a number.
const unnumbered = 0

// maxGeneration is the largest number that the harness takes for a generation: a
// greater one is no exact number in JavaScript.
const maxGeneration = 1<<53 - 1

// ParseFileName reads the version and the encoding off the name of a log's file. ok
// is false for every name that is not exactly what [FileName] returns, as
// session.v0.jsonl, session.V4.jsonl, session.v04.jsonl, temporary names and copies:
// the harness reads no file of such a name.
func ParseFileName(name string) (version int64, compressed, ok bool) {
	text, compressed := strings.CutSuffix(name, zstdSuffix)
	text = strings.TrimSuffix(strings.TrimPrefix(text, "session.v"), ".jsonl")
	if n, err := strconv.ParseInt(text, 10, 64); err == nil && n <= maxGeneration {
		version = n
	}
	return version, compressed, name == FileName(version, compressed)
}

// Generations sorts out the files of one session's folder by their names. The session
// is its newest generation alone: one file, or two where it is there in both
// encodings, the plain one first. The older ones, from the newest to the oldest, are
// never read in its place. Other names are left out.
func Generations(names []string) (newest, older []string) {
	var all []string
	for _, name := range names {
		if _, _, ok := ParseFileName(name); ok {
			all = append(all, name)
		}
	}
	slices.SortFunc(all, func(a, b string) int {
		x, _, _ := ParseFileName(a)
		y, _, _ := ParseFileName(b)
		return cmp.Or(cmp.Compare(y, x), strings.Compare(a, b))
	})
	for i, name := range all {
		version, _, _ := ParseFileName(name)
		if first, _, _ := ParseFileName(all[0]); version < first {
			return all[:i:i], all[i:]
		}
	}
	return all, nil
}
