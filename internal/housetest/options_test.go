package housetest

import (
	"go/ast"
	"strings"
	"testing"
)

// lookups are the methods by which a command of the library gives the value of a flag or
// an argument by its name.
var lookups = map[string]bool{
	"String": true, "StringSlice": true, "StringMap": true, "StringArg": true, "StringArgs": true,
	"Bool": true, "Int": true, "Int64": true, "IntSlice": true, "Uint": true, "Float": true, "Duration": true,
	"Timestamp": true, "Generic": true, "Value": true, "IsSet": true, "Count": true, "NumFlags": true,
}

// TestOptionsAreTyped: flags and arguments fill a command's options; nothing asks for one
// by its name, which a compiler cannot check.
func TestOptionsAreTyped(t *testing.T) {
	calls := 0
	for _, path := range paths(t, ".go") {
		if !strings.HasPrefix(path, "cmd/") || strings.HasSuffix(path, "_test.go") {
			continue
		}
		set, file := parse(t, path, 0)
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			method, ok := call.Fun.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			on, ok := method.X.(*ast.Ident)
			if !ok || on.Name != "cmd" && on.Name != "c" && on.Name != "command" {
				return true
			}
			calls++
			if byName := len(call.Args) == 1; byName && lookups[method.Sel.Name] {
				t.Errorf("%s: %s.%s asks for a flag by its name: let the flag fill an option", set.Position(call.Pos()), on.Name, method.Sel.Name)
			}
			return true
		})
	}
	if calls < 20 {
		t.Errorf("only %d calls of commands were found", calls)
	}
}
