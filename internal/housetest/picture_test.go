package housetest

import (
	"go/parser"
	"path"
	"strconv"
	"strings"
	"testing"
)

// picture is the way of the data, from the ground up. A package may import those of
// the rows above its own, and none of its own row or of those below. A name with
// "/..." covers all packages of a folder. A new package gets its place here.
var picture = [][]string{
	// The ground: JSON, text, files. They know nothing of the project.
	{"logformat/ecmajson", "internal/visible", "internal/regular", "internal/atomicfile", "internal/text"},
	{"internal/strictjson", "internal/sqlitesnapshot", "internal/storetest", "internal/evidence", "diffview"},
	// Bytes to records, references to bytes.
	{"logformat", "objectstore"},
	{"internal/redact", "internal/logtext", "internal/loggen", "logformat/container/..."},
	// Records to acts, acts to requests, requests to bodies.
	{"internal/upgrade/jsvalue"},
	{"internal/upgrade/shape"},
	{"reconstruct/transcript", "reconstruct/wire", "internal/upgrade"},
	{"reconstruct", "reconstruct/wire/..."},
	// What requests are compared with, and what is said about them.
	{"internal/protocol"},
	{"golden", "internal/provenance", "internal/headerdiff", "internal/traffic", "internal/requestlog"},
	{"internal/finding", "internal/provider"},
	{"internal/source", "internal/result", "internal/check/origin"},
	{"internal/seal", "internal/upgradecheck"},
	// The driver, and the checks that it runs, each knowing no other.
	{"internal/verify", "internal/live"},
	{"internal/check/..."},
	{"internal/check"},
	{"internal/logcheck"},
	// What is done with the results.
	{"internal/policy", "internal/goldencheck", "internal/scan", "internal/output", "internal/report"},
	{"internal/overwrite"},
	{"cmd/...", "examples/..."},
	// Tests over all of it.
	{"internal/housetest", "internal/benchmark", "internal/harnesstest", "internal/recordingtest", "internal/report/browsertest"},
}

// strangers are pairs that the order of rows allows and the design does not.
var strangers = []struct{ from, to, why string }{
	{"objectstore", "logformat", "a store's bytes are read without a log"},
	{"objectstore", "reconstruct/...", "a store knows no requests"},
	{"reconstruct/wire", "logformat", "a body is made of a request, without the log"},
	{"reconstruct/wire/...", "logformat", "a body is made of a request, without the log"},
	{"internal/output", "logformat/...", "output prints results, and reads no log"},
	{"internal/output", "reconstruct/...", "output prints results, and rebuilds nothing"},
	{"internal/output", "internal/verify", "output prints results, and runs nothing"},
	{"internal/policy", "logformat/...", "a policy weighs findings, and reads no log"},
	{"internal/policy", "reconstruct/...", "a policy weighs findings, and rebuilds nothing"},
	{"internal/policy", "internal/verify", "a policy weighs results, and runs nothing"},
	{"internal/result", "reconstruct/...", "a result is plain data"},
}

// TestDataFlowsOneWay: no package imports one that the picture places after it.
func TestDataFlowsOneWay(t *testing.T) {
	for from, imports := range imports(t) {
		row := rowOf(from)
		if row < 0 {
			t.Errorf("%s has no place in the picture: give it one in picture_test.go", from)
			continue
		}
		for to, at := range imports {
			switch target := rowOf(to); {
			case target >= row:
				t.Errorf("%s: %s imports %s, against the grain: it is in row %d, and %s in row %d", at, from, to, row, to, target)
			case stranger(from, to) != "":
				t.Errorf("%s: %s imports %s: %s", at, from, to, stranger(from, to))
			}
		}
	}
}

// TestFlagsStayInTheCommand: only the command knows flags and colours.
func TestFlagsStayInTheCommand(t *testing.T) {
	for _, file := range paths(t, ".go") {
		if strings.HasPrefix(file, "cmd/") {
			continue
		}
		for _, to := range importsOf(t, file) {
			if to == "flag" && !strings.HasSuffix(file, "_test.go") || strings.HasPrefix(to, "github.com/urfave/cli") {
				t.Errorf("%s imports %s, which is the command's", file, to)
			}
		}
	}
}

// rowOf returns the row of the picture that a package is in, or -1. A name in full
// goes before one of a folder.
func rowOf(pkg string) int {
	folder := -1
	for row, names := range picture {
		for _, name := range names {
			if name == pkg {
				return row
			}
			if covers(name, pkg) {
				folder = row
			}
		}
	}
	return folder
}

func stranger(from, to string) string {
	for _, s := range strangers {
		if covers(s.from, from) && covers(s.to, to) {
			return s.why
		}
	}
	return ""
}

// covers tells whether a name of the picture is a package's, or its folder's.
func covers(name, pkg string) bool {
	folder, all := strings.CutSuffix(name, "/...")
	return pkg == name || all && (pkg == folder || strings.HasPrefix(pkg, folder+"/"))
}

// imports returns, for each package of this module that is not only tests, the packages
// of the module that it imports, with a file that does so.
func imports(t *testing.T) map[string]map[string]string {
	t.Helper()
	all := make(map[string]map[string]string)
	for _, file := range paths(t, ".go") {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		from := path.Dir(file)
		if all[from] == nil {
			all[from] = make(map[string]string)
		}
		for _, to := range importsOf(t, file) {
			if pkg, ok := strings.CutPrefix(to, module+"/"); ok {
				all[from][pkg] = file
			}
		}
	}
	if len(all) < 30 {
		t.Fatalf("found %d packages", len(all))
	}
	return all
}

func importsOf(t *testing.T, file string) (list []string) {
	t.Helper()
	_, f := parse(t, file, parser.ImportsOnly)
	for _, spec := range f.Imports {
		to, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, to)
	}
	return list
}
