package housetest

import (
	"go/ast"
	"go/token"
	pathpkg "path"
	"strings"
	"testing"
)

// What a reader can keep in view.
const (
	maxFileLines     = 450
	maxCommandLines  = 250 // of a file of the command: what is longer does more than print
	maxFunctionLines = 60
	maxComplexity    = 15
)

// TestFilesAreShort: a longer file has more than one idea in it.
func TestFilesAreShort(t *testing.T) {
	over := make(map[string]int)
	for _, path := range paths(t, ".go") {
		if lines := strings.Count(read(t, path), "\n"); lines > maxFileLines {
			over[path] = lines
		}
	}
	compare(t, "lines", over, longFiles, maxFileLines)
}

// TestCommandFilesAreShort: the command turns flags into options, calls and prints. A
// file that needs more lines for it does what a package below should do.
func TestCommandFilesAreShort(t *testing.T) {
	over := make(map[string]int)
	for _, path := range paths(t, ".go") {
		if !strings.HasPrefix(path, "cmd/") || strings.HasSuffix(path, "_test.go") {
			continue
		}
		if lines := strings.Count(read(t, path), "\n"); lines > maxCommandLines {
			over[path] = lines
		}
	}
	compare(t, "lines", over, nil, maxCommandLines)
}

// TestFunctionsAreShort counts a function's lines except those of tables in it.
func TestFunctionsAreShort(t *testing.T) {
	over := make(map[string]int)
	eachFunction(t, func(name string, set *token.FileSet, fn *ast.FuncDecl) {
		lines := linesOf(set, fn) - tableLines(set, fn)
		if lines > maxFunctionLines {
			over[name] = lines
		}
	})
	compare(t, "lines", over, longFunctions, maxFunctionLines)
}

// TestFunctionsAreSimple counts the ways through a function. A function literal counts
// as part of the function that it is written in.
func TestFunctionsAreSimple(t *testing.T) {
	over := make(map[string]int)
	eachFunction(t, func(name string, _ *token.FileSet, fn *ast.FuncDecl) {
		if n := complexity(fn); n > maxComplexity {
			over[name] = n
		}
	})
	compare(t, "ways through it", over, complexFunctions, maxComplexity)
}

// compare reports what is over the limit and not on the list of known offenders, what
// has grown since it was listed, and what is listed and no longer has to be.
func compare(t *testing.T, unit string, over, known map[string]int, limit int) {
	t.Helper()
	for name, n := range over {
		if n > max(known[name], limit) {
			t.Errorf("%s has %d %s, and may have %d: split it", name, n, unit, max(known[name], limit))
		}
	}
	for name, n := range known {
		if over[name] < n {
			t.Errorf("%s has no more than %d %s now: lower its entry in the list of offenders, or take it out", name, max(over[name], limit), unit)
		}
	}
}

// eachFunction calls f for every function of the tree, named folder:Function or
// folder:Receiver.Method.
func eachFunction(t *testing.T, f func(name string, set *token.FileSet, fn *ast.FuncDecl)) {
	t.Helper()
	for _, path := range paths(t, ".go") {
		set, file := parse(t, path, 0)
		for _, d := range file.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
				f(pathpkg.Dir(path)+":"+functionName(fn), set, fn)
			}
		}
	}
}

func functionName(fn *ast.FuncDecl) string {
	if fn.Recv == nil {
		return fn.Name.Name
	}
	typ := fn.Recv.List[0].Type
	if star, ok := typ.(*ast.StarExpr); ok {
		typ = star.X
	}
	if generic, ok := typ.(*ast.IndexExpr); ok {
		typ = generic.X
	}
	return typ.(*ast.Ident).Name + "." + fn.Name.Name
}

func linesOf(set *token.FileSet, n ast.Node) int {
	return set.Position(n.End()).Line - set.Position(n.Pos()).Line + 1
}

// tableLines are the lines inside the composite literals of a function: a table of
// cases is data.
func tableLines(set *token.FileSet, fn *ast.FuncDecl) (lines int) {
	ast.Inspect(fn, func(n ast.Node) bool {
		lit, ok := n.(*ast.CompositeLit)
		if !ok {
			return true
		}
		lines += linesOf(set, lit) - 1
		return false
	})
	return lines
}

// complexity is McCabe's number: one, and one more for each branch.
func complexity(fn *ast.FuncDecl) int {
	n := 1
	ast.Inspect(fn, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.IfStmt, *ast.ForStmt, *ast.RangeStmt:
			n++
		case *ast.CaseClause:
			if node.List != nil {
				n++
			}
		case *ast.CommClause:
			if node.Comm != nil {
				n++
			}
		case *ast.BinaryExpr:
			if node.Op == token.LAND || node.Op == token.LOR {
				n++
			}
		}
		return true
	})
	return n
}
