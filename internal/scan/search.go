package scan

import (
	"context"
	"path/filepath"

	"github.com/dsh-verify/dsh-verify/internal/result"
	"github.com/dsh-verify/dsh-verify/internal/source"
)

// search finds the sessions of all roots. Roots may lie in each other.
func (s *scanner) search(ctx context.Context) {
	seen := make(map[string]bool)
	for i := range s.roots {
		root := &s.roots[i]
		place, err := findUntil(ctx, root)
		if interrupted(ctx, err) {
			s.out.Cut = root.Name
			return
		}
		if err != nil {
			log := result.Failed(root.Name, err)
			root.Weigh(log)
			s.checked(Checked{Log: log})
			continue
		}
		s.places = append(s.places, place)
		if len(place.Findings) > 0 {
			log := result.Place(root.Name, place.Findings)
			root.Weigh(log)
			s.place(log)
		}
		s.absent = s.choose(s.absent, root, place.Absent, seen)
		s.logs = s.choose(s.logs, root, place.Logs, seen)
	}
}

// choose adds the logs that were not seen before, if they are among those to be checked.
func (s *scanner) choose(to []session, root *Root, logs []*source.Log, seen map[string]bool) []session {
	for _, log := range logs {
		name := realPath(log.Name)
		if seen[name] {
			continue
		}
		seen[name] = !log.Stream // a stream has no name of its own
		s.found++
		if s.Choose.has(log) {
			to = append(to, session{root, log})
		}
	}
	return to
}

// findUntil searches a root, and returns the context's error when it ends first: a
// folder may take long to walk, and a pipe to open.
func findUntil(ctx context.Context, root *Root) (*source.Place, error) {
	type answer struct {
		place *source.Place
		err   error
	}
	found := make(chan answer, 1)
	go func() {
		place, err := root.Find()
		found <- answer{place, err}
	}()
	var a answer
	if !waitFor(ctx, found, &a) {
		return nil, ctx.Err()
	}
	return a.place, a.err
}

// realPath names a file the same way wherever it is named from.
func realPath(name string) string {
	if real, err := filepath.EvalSymlinks(name); err == nil {
		name = real
	}
	if abs, err := filepath.Abs(name); err == nil {
		name = abs
	}
	return name
}
