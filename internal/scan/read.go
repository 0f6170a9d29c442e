package scan

import (
	"context"
	"sync"
	"time"

	"github.com/dsh-verify/dsh-verify/internal/result"
)

// readAll has the logs checked, some at a time, until all are, the context ends, or one
// of them stops the scan.
func (s *scanner) readAll(outer context.Context, jobs int) {
	ctx, stop := context.WithCancel(outer)
	defer stop()
	next := make(chan session)
	var wait sync.WaitGroup
	for range jobs {
		wait.Go(func() {
			for l := range next {
				s.begin()
				if s.read(l.root.Check(l.log)) {
					stop()
				}
			}
		})
	}
	s.hand(ctx, next)
	close(next)
	idle := make(chan struct{})
	go func() { wait.Wait(); close(idle) }()
	waitFor(outer, idle, new(struct{}))
	s.mu.Lock()
	s.ended = true
	s.mu.Unlock()
}

// hand passes the sessions on until the context ends.
func (s *scanner) hand(ctx context.Context, to chan<- session) {
	for _, l := range s.logs {
		if ctx.Err() != nil {
			return
		}
		select {
		case to <- l:
		case <-ctx.Done():
		}
	}
}

func (s *scanner) begin() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.working++
}

// read takes the report on a session and says whether the scan should stop.
func (s *scanner) read(log *result.Log) (stop bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.working--
	if s.ended {
		return true
	}
	s.out.Read++
	return s.checked(Checked{log, s.out.Read, s.out.Logs})
}

// waitFor receives from a channel, and gives up when the context has ended and nothing
// comes soon.
func waitFor[T any](ctx context.Context, from <-chan T, to *T) bool {
	select {
	case *to = <-from:
		return true
	case <-ctx.Done():
	}
	select {
	case *to = <-from:
		return true
	case <-time.After(LastWords):
		return false
	}
}
