package upgrade_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/dsh-verify/dsh-verify/internal/upgrade"
)

var update = flag.Bool("update", false, "write the table of codes into docs/check-upgrade.md")

// TestPage: docs/check-upgrade.md ends with the codes and what they mean.
func TestPage(t *testing.T) {
	const page, mark = "../../docs/check-upgrade.md", "<!-- codes -->\n"
	var want strings.Builder
	want.WriteString("\n| code | meaning | what to do |\n|---|---|---|\n")
	for _, info := range upgrade.Codes() {
		fmt.Fprintf(&want, "| `%s` | %s | %s |\n", info.Code, info.Meaning, info.Action)
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, table, ok := strings.Cut(string(text), mark)
	if !ok {
		t.Fatalf("%s has no place for the codes", page)
	}
	if table == want.String() {
		return
	}
	if !*update {
		t.Fatalf("the table of codes in %s is not current; go test ./internal/upgrade -run TestPage -update writes it", page)
	}
	if err := os.WriteFile(page, []byte(before+mark+want.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}
