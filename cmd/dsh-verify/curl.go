package main

import (
	"fmt"
	"strings"

	escape "github.com/dsh-verify/dsh-verify/internal/visible"
)

// maxArgument is what a shell takes as one argument on every system.
const maxArgument = 100_000

// printCurl prints a command that posts a body. The key stays in the environment.
// A body that is too long for an argument, or that must not be printed as it is, is made
// again by this program.
func (a *app) printCurl(args []string, body []byte) error {
	data := "'" + strings.ReplaceAll(string(body), "'", `'\''`) + "'"
	if len(data) > maxArgument || len(escape.JSON(body)) != len(body) {
		fmt.Fprintf(a.stdout, "dsh-verify show --wire deepseek %s %s |\n  ", shellQuote(args[0]), shellQuote(args[1]))
		data = "@-"
	}
	_, err := fmt.Fprintf(a.stdout, `curl -sS "${DEEPSEEK_BASE_URL:-https://api.deepseek.com}/chat/completions" \
  -H 'content-type: application/json' \
  -H "authorization: Bearer $DEEPSEEK_API_KEY" \
  --data-binary %s
`, data)
	return err
}
