// Dsh-verify rebuilds every model request of a DeepSeek Harness session from its
// log, byte for byte and offline, and proves or disproves recordings of them.
//
// What goes to which stream: results and findings go to standard output,
// diagnostics and progress to standard error. Text that comes from a log is
// printed with control characters made visible, except where a command's whole
// job is to print exact bytes (show, requests --jsonl). Colour is used only on a
// terminal, never under NO_COLOR, and --color decides otherwise.
//
// Exit codes: 0 verified or rebuilt; 1 drift, or an object that fails; 2 usage;
// 3 the log is refused; 4 an input could not be read; 5 unverifiable, with
// --strict.
package main

import (
	"context"
	"os"
	"os/signal"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	a := &app{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, env: os.Getenv}
	code := a.run(ctx, os.Args)
	stop()
	os.Exit(code)
}
