package housetest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	pathpkg "path"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/dsh-verify/dsh-verify/logformat"
)

// namesFile declares the names of events.
const namesFile = "logformat/names.go"

// versionFile matches the files of one format, and those that formats 2 to 4 share.
var versionFile = regexp.MustCompile(`^logformat/(version[0-9]+|later)(_[a-z]+)?\.go$`)

// TestNamesStandInOnePlace: no code spells an event's name besides its constant, so
// that what handles an event can be found from that.
func TestNamesStandInOnePlace(t *testing.T) {
	names := declaredNames(t)
	for _, v := range logformat.Versions() {
		for _, name := range v.Types() {
			if !names[name] {
				t.Errorf("%s has no constant for %s", namesFile, name)
			}
		}
	}
	for _, path := range sources(t) {
		if path == namesFile {
			continue
		}
		for _, found := range literals(t, path) {
			if name := nameIn(found.text, names); name != "" {
				t.Errorf("%s spells the event name %s: use its constant of logformat", found.pos, name)
			}
		}
	}
}

// TestNobodyAsksForAFormat: what differs between formats is known to logformat and
// reconstruct, how one becomes the next to internal/upgrade, and elsewhere that is read
// from acts. A format is a value there: its number is printed and kept, and nothing
// depends on it.
func TestNobodyAsksForAFormat(t *testing.T) {
	for _, path := range sources(t) {
		if strings.HasPrefix(path, "logformat/") || strings.HasPrefix(path, "reconstruct/") || strings.HasPrefix(path, "internal/upgrade/") {
			continue
		}
		set, file := parse(t, path, 0)
		ast.Inspect(file, func(n ast.Node) bool {
			if asked := asksForFormat(n, pathpkg.Dir(path)); asked != "" {
				t.Errorf("%s asks for a format by %s", set.Position(n.Pos()), asked)
			}
			return true
		})
	}
}

// asksForFormat returns what in a node tells formats apart, "" when nothing does.
func asksForFormat(n ast.Node, folder string) string {
	switch n := n.(type) {
	case *ast.SelectorExpr:
		switch name := n.Sel.Name; {
		case name == "SeedLength" && folder != "internal/output", // which prints what a result says
			name == "HasSeedLength",
			isVersionName(name):
			return types.ExprString(n)
		}
	case *ast.SwitchStmt:
		if n.Tag != nil && isFormatNumber(n.Tag) {
			return "switch " + types.ExprString(n.Tag)
		}
	case *ast.BinaryExpr:
		if comparesFormat(n) {
			return types.ExprString(n)
		}
	case *ast.IndexExpr:
		if isFormatNumber(n.Index) {
			return types.ExprString(n)
		}
	}
	return ""
}

// comparesFormat recognises a format's number beside a number that is written there.
func comparesFormat(n *ast.BinaryExpr) bool {
	if n.Op == token.LSS && types.ExprString(n.Y) == "0" {
		return false // no format has that number: it was read amiss
	}
	return isComparison(n.Op) && (isFormatNumber(n.X) && isNumber(n.Y) || isFormatNumber(n.Y) && isNumber(n.X))
}

// isVersionName recognises the name of one format's value, as Version0.
func isVersionName(name string) bool {
	number, ok := strings.CutPrefix(name, "Version")
	return ok && number != "" && strings.Trim(number, "0123456789") == ""
}

// isFormatNumber recognises an expression that is the number of a log's format: that
// of a header, or one that was kept from it.
func isFormatNumber(e ast.Expr) bool {
	if call, ok := e.(*ast.CallExpr); ok && len(call.Args) == 0 {
		e = call.Fun
	}
	sel, ok := e.(*ast.SelectorExpr)
	return ok && (sel.Sel.Name == "Format" || sel.Sel.Name == "FormatVersion")
}

func isComparison(op token.Token) bool {
	switch op {
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
		return true
	}
	return false
}

func isNumber(e ast.Expr) bool {
	lit, ok := e.(*ast.BasicLit)
	return ok && lit.Kind == token.INT
}

// TestAsksForFormat has what the rule is to find, and what it may not.
func TestAsksForFormat(t *testing.T) {
	for text, want := range map[string]bool{
		"logformat.Version0":               true,
		"h.Version == logformat.Version12": true,
		"h.SeedLength":                     true,
		"h.Format() > 0":                   true,
		"3 <= log.FormatVersion":           true,
		"table[h.Format()]":                true,
		"h.Version.String()":               false,
		"old.Format == new.Format":         false,
		"statement.FormatVersion < 0":      false,
		"statement.Version":                false,
		"logformat.Versions()":             false,
	} {
		expr, err := parser.ParseExpr(text)
		if err != nil {
			t.Fatal(err)
		}
		found := ""
		ast.Inspect(expr, func(n ast.Node) bool {
			found += asksForFormat(n, "cmd")
			return true
		})
		if (found != "") != want {
			t.Errorf("%s: found %q", text, found)
		}
	}
}

// TestGenericCodeNamesNoFormat: in logformat only the files of a format name it or an
// event. The list of formats, and the one event that packed rows stand for, are all
// that the others may name.
func TestGenericCodeNamesNoFormat(t *testing.T) {
	constants := constantsOf(t, namesFile)
	allowed := map[string]*regexp.Regexp{
		"logformat/version.go": regexp.MustCompile(`^Version[0-9]+$`),
		"logformat/row.go":     regexp.MustCompile(`^TypeAssistantChunk$`),
	}
	for _, path := range sources(t) {
		if pathpkg.Dir(path) != "logformat" || path == namesFile || versionFile.MatchString(path) {
			continue
		}
		set, file := parse(t, path, 0)
		ast.Inspect(file, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			if ok && (constants[id.Name] || isVersionName(id.Name)) && (allowed[path] == nil || !allowed[path].MatchString(id.Name)) {
				t.Errorf("%s names %s: it belongs in the files of a format", set.Position(id.Pos()), id.Name)
			}
			return true
		})
	}
}

// sources are the Go files of the tree except tests.
func sources(t *testing.T) (files []string) {
	t.Helper()
	for _, path := range paths(t, ".go") {
		if !strings.HasSuffix(path, "_test.go") {
			files = append(files, path)
		}
	}
	if len(files) < 100 {
		t.Fatalf("%d files", len(files))
	}
	return files
}

// constantsOf returns the names that a file declares.
func constantsOf(t *testing.T, path string) map[string]bool {
	t.Helper()
	names := make(map[string]bool)
	_, file := parse(t, path, 0)
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok {
			for _, name := range spec.Names {
				names[name.Name] = true
			}
		}
		return true
	})
	return names
}

// declaredNames are the names of events.
func declaredNames(t *testing.T) map[string]bool {
	t.Helper()
	names := make(map[string]bool)
	for _, l := range literals(t, namesFile) {
		names[l.text] = true
	}
	return names
}

// nameIn returns the name that a literal is, or that stands in it as a JSON string.
func nameIn(text string, names map[string]bool) string {
	if names[text] {
		return text
	}
	for i, word := range strings.Split(text, `"`) {
		if i > 0 && names[word] && strings.Contains(text, `"`+word+`"`) {
			return word
		}
	}
	return ""
}

type literal struct{ pos, text string }

// literals returns the string literals of a Go file.
func literals(t *testing.T, path string) (list []literal) {
	t.Helper()
	set, file := parse(t, path, 0)
	ast.Inspect(file, func(n ast.Node) bool {
		lit, ok := n.(*ast.BasicLit)
		if !ok || lit.Kind != token.STRING {
			return true
		}
		text, err := strconv.Unquote(lit.Value)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, literal{fmt.Sprint(set.Position(lit.Pos())), text})
		return true
	})
	return list
}
