package scan

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/logcheck"
	"github.com/dsh-verify/dsh-verify/internal/result"
	"github.com/dsh-verify/dsh-verify/internal/source"
	"github.com/dsh-verify/dsh-verify/internal/text"
)

// LastWords is how long that may take which is under way when a scan is interrupted.
const LastWords = 500 * time.Millisecond

// A Root is a place to be searched, and what is done with its sessions.
type Root struct {
	Name string
	// Find searches the root. It may take long: a scan that is interrupted does not
	// wait for it.
	Find func() (*source.Place, error)
	// Check checks a session. It is called from several goroutines.
	Check func(*source.Log) *result.Log
	// Weigh weighs by the root's policy what Check did not report.
	Weigh func(*result.Log)
}

// Options say which sessions are checked, and how.
type Options struct {
	Choose   Choice
	Jobs     int  // sessions that are checked at a time, at least 1
	FailFast bool // stop at the first session that drifts, is refused or cannot be read
}

// An Event is a [Checked] or a [Noted].
type Event interface {
	// Report is what the event adds to the scan.
	Report() *result.Log
}

// Checked reports on a session, or on a root that could not be opened. Of those of which
// there was a log to read, it is number Read of all.
type Checked struct {
	Log       *result.Log
	Read, All int // 0: there was nothing to read
}

// Noted reports on a root, or on the scan itself.
type Noted struct{ Log *result.Log }

// Report is the session's.
func (c Checked) Report() *result.Log { return c.Log }

// Report is the root's, or the scan's.
func (n Noted) Report() *result.Log { return n.Log }

// An Outcome is what a scan comes to.
type Outcome struct {
	Counts
	Logs    int    // sessions that were chosen and of which there is a log
	Read    int    // of them, those that were checked
	Stopped bool   // by Options.FailFast
	Cut     string // the root that was being searched when the scan was interrupted
	Nothing string // says of which sessions the choice left none, "" when it left some
}

// Interrupted says what an interrupted scan left out; "" when it was not interrupted.
func (o *Outcome) Interrupted() string {
	switch {
	case o.Cut != "":
		return "interrupted: " + o.Cut + " was not searched to the end"
	case o.Read < o.Logs && !o.Stopped:
		return fmt.Sprintf("interrupted: %d of %s checked", o.Read, text.Count(o.Logs, "session"))
	}
	return ""
}

// A scanner is one run.
type scanner struct {
	Options
	roots   []Root
	tell    func(Event)
	places  []*source.Place
	found   int // sessions, before the choice
	logs    []session
	absent  []session
	mu      sync.Mutex // of what follows
	out     *Outcome
	working int  // sessions that are being checked
	ended   bool // what is still being checked counts no more
}

// A session is checked as its root says.
type session struct {
	root *Root
	log  *source.Log
}

// Run scans the roots, of which there must be one, and tells what happens. Tell is never
// called twice at a time. A report is the receiver's once it was told.
func Run(ctx context.Context, roots []Root, opts Options, tell func(Event)) *Outcome {
	s := &scanner{Options: opts, roots: roots, tell: tell, out: &Outcome{Counts: newCounts()}}
	defer s.close()
	s.search(ctx)
	s.noteSearch()
	for _, l := range s.absent {
		log := logcheck.Absent(l.log)
		l.root.Weigh(log)
		s.checked(Checked{Log: log})
	}
	if !s.out.Stopped {
		s.readAll(ctx, min(opts.Jobs, len(s.logs)))
	}
	s.noteUnread()
	return s.out
}

// noteSearch notes that the search left nothing, or did not come to its end.
func (s *scanner) noteSearch() {
	s.out.Logs = len(s.logs)
	if s.out.Cut != "" {
		s.noted(s.out.Cut, finding.New(finding.ScanInterrupted, finding.Plain("it was not searched to the end"), finding.Place{Seq: -1, File: s.out.Cut}), nil)
		return
	}
	if s.found > 0 && len(s.logs)+len(s.absent) == 0 {
		s.out.Nothing = "nothing was left of " + text.Count(s.found, "session") + " by " + s.Choose.String()
		s.noted(s.names(), finding.New(finding.ScanNothing, finding.Plain(s.out.Nothing), finding.Place{Seq: -1}), s.roots[0].Weigh)
	}
}

// noteUnread notes how many sessions were left out when the scan ended.
func (s *scanner) noteUnread() {
	unread := s.out.Logs - s.out.Read
	if unread == 0 {
		return
	}
	code := finding.ScanInterrupted
	if s.out.Stopped {
		code = finding.ScanStopped
	}
	s.noted(s.names(), finding.New(code, finding.Say("%d of %s not checked", unread, text.Count(s.out.Logs, "session")), finding.Place{Seq: -1}), nil)
}

// noted reports a finding about a place; a nil weigh leaves it as it is.
func (s *scanner) noted(name string, f finding.Finding, weigh func(*result.Log)) {
	log := result.Place(name, []finding.Finding{f})
	if weigh != nil {
		weigh(log)
	}
	s.place(log)
}

func (s *scanner) place(log *result.Log) {
	s.out.place(log)
	s.tell(Noted{log})
}

// checked counts a report, tells of it, and says whether the scan should stop.
func (s *scanner) checked(c Checked) (stop bool) {
	s.out.session(c.Log)
	s.tell(c)
	if s.FailFast && fails(c.Log.Verdict) {
		s.out.Stopped = true
	}
	return s.out.Stopped
}

func fails(v finding.Verdict) bool {
	return v != finding.Verified && v != finding.Rebuilt && v != finding.Unverifiable
}

// names are the roots as they were named.
func (s *scanner) names() string {
	names := make([]string, len(s.roots))
	for i, r := range s.roots {
		names[i] = r.Name
	}
	return strings.Join(names, " ")
}

// close lets go of the places, unless something still reads them.
func (s *scanner) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.working > 0 {
		return
	}
	for _, p := range s.places {
		p.Close()
	}
}

// interrupted reports whether err is that the context has ended.
func interrupted(ctx context.Context, err error) bool {
	return ctx.Err() != nil && errors.Is(err, ctx.Err())
}
