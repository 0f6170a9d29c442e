// Dsh-verify rebuilds every model request of a DeepSeek Harness session from its
// log, byte for byte and offline, and proves or disproves recordings of them.
//
// What goes to which stream: results and findings go to standard output,
// diagnostics and progress to standard error. Text that comes from a log is
// printed with what hides or commands something made visible, except where a command's
// whole job is to print exact bytes to a pipe or a file (show, requests --jsonl). Colour is used on a terminal
// and not under NO_COLOR, unless --color decides otherwise; files have none.
//
// Exit codes: 0 verified or rebuilt; 1 drift, or an object that fails; 2 usage;
// 3 the log is refused; 4 an input could not be read; 5 unverifiable, with
// --strict. A signal ends it with 128 and its number, except for scan and record, which
// end in order.
package main

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"github.com/dsh-verify/dsh-verify/internal/atomicfile"
)

func main() {
	a := &app{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, env: os.Getenv}
	os.Exit(a.run(context.Background(), os.Args))
}

// endAtOnce has the program end when it is interrupted, and leave no half of a file
// behind, until stop is called.
func endAtOnce() (stop func()) {
	signals, done := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		select {
		case s := <-signals:
			signal.Stop(signals) // should this take long, a second one ends it
			atomicfile.DropAll()
			code := 1
			if n, ok := s.(syscall.Signal); ok {
				code = 128 + int(n)
			}
			os.Exit(code)
		case <-done:
		}
	}()
	return sync.OnceFunc(func() { signal.Stop(signals); close(done) })
}

// interruptible returns a context that ends when the user or the system asks for
// the end. Until it is cancelled, asking again does nothing by itself.
func interruptible(ctx context.Context) (context.Context, context.CancelFunc) {
	return signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
}
