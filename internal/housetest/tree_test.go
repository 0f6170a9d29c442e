package housetest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const module = "github.com/dsh-verify/dsh-verify"

// root is the top of the tree, as seen by this package's tests.
var root = filepath.Join("..", "..")

// paths returns the files of the tree with one of the endings, by slashed path from its
// top. It leaves out what is hidden and what others wrote.
func paths(t *testing.T, endings ...string) (list []string) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			hidden := strings.HasPrefix(d.Name(), ".") && path != root
			if hidden || d.Name() == "node_modules" || d.Name() == "testdata" {
				return filepath.SkipDir
			}
			return nil
		}
		for _, ending := range endings {
			if strings.HasSuffix(path, ending) {
				rel, err := filepath.Rel(root, path)
				list = append(list, filepath.ToSlash(rel))
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// read returns a file's text.
func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(path)))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// parse returns a Go file's syntax. Positions in it name the path from the tree's top.
func parse(t *testing.T, path string, mode parser.Mode) (*token.FileSet, *ast.File) {
	t.Helper()
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, read(t, path), mode|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return set, file
}
