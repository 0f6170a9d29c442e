package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/output"
	"github.com/dsh-verify/dsh-verify/internal/result"
	"github.com/dsh-verify/dsh-verify/internal/source"
)

func scanCommand(a *app) *cli.Command {
	return &cli.Command{
		Name:      "scan",
		Usage:     "check every session below a folder, in parallel",
		ArgsUsage: "ROOT…",
		Description: `Finds every session below each root (a harness home, a store root, a folder of
exports) and checks it as replay does. Prints a line per session as it is done, what
is wrong with it, and a summary. One bad session never stops the others.

Examples:
  dsh-verify scan ~/.dsh/sessions
  dsh-verify scan --since 24h --project my-app --fail-fast ~/.dsh/sessions
  dsh-verify scan --format ndjson ~/.dsh/sessions | jq -r 'select(.verdict=="refused").file'`,
		Flags: slices.Concat(logFlags(), outputFlags(), []cli.Flag{
			&cli.IntFlag{Name: "jobs", Aliases: []string{"j"}, Usage: "check `N` sessions at a time", DefaultText: "one per core"},
			&cli.StringFlag{Name: "since", Usage: "only logs written since `WHEN`: a duration such as 36h or 7d, or a date such as 2026-11-30"},
			&cli.StringFlag{Name: "project", Usage: "only sessions whose project folder contains `NAME`"},
			&cli.BoolFlag{Name: "fail-fast", Usage: "stop at the first session that does not verify"},
			&cli.StringFlag{Name: "attachments", Usage: "the attachments/v1 folder `DIR` that holds the objects"},
			strictFlag(),
		}),
		Action: func(ctx context.Context, cmd *cli.Command) error { return a.scan(ctx, cmd) },
	}
}

func (a *app) scan(ctx context.Context, cmd *cli.Command) error {
	if !cmd.Args().Present() {
		return usagef("scan needs a ROOT (see 'dsh-verify scan --help')")
	}
	if jobs := cmd.Int("jobs"); cmd.IsSet("jobs") && jobs < 1 {
		return usagef("--jobs must be at least 1, not %d", jobs)
	}
	c, err := a.newChecker(cmd)
	if err != nil {
		return err
	}
	keep, err := scanFilter(cmd, time.Now())
	if err != nil {
		return err
	}
	s := &scanner{failFast: cmd.Bool("fail-fast"), counts: map[finding.Verdict]int{}, codes: map[finding.Code]int{}}
	s.report = result.NewReport()
	if s.out, err = a.newOutputs(cmd, withRenderer("text", s.newText), withRenderer("ndjson", s.newNDJSON)); err != nil {
		return err
	}
	defer s.out.close()
	s.keep = s.out.needReport()
	var places []*source.Place
	defer func() {
		for _, p := range places {
			if s.atWork == 0 { // else some are still read, and the program ends
				p.Close()
			}
		}
	}()
	found := 0
	cut := ""                     // the root that was being searched when the scan was interrupted
	seen := make(map[string]bool) // roots may lie in each other
	for _, root := range cmd.Args().Slice() {
		c := c.under(root)
		place, err := a.findUntil(ctx, cmd, root)
		if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
			cut = root
			break
		}
		if err != nil {
			s.done(c.judge(failed(root, err))[0])
			continue
		}
		places = append(places, place)
		if len(place.Findings) > 0 {
			s.place(c.judge(result.Place(root, place.Findings))[0])
		}
		for _, log := range place.Absent {
			name := realPath(log.Name)
			if seen[name] {
				continue
			}
			seen[name] = true
			found++
			if keep(log) {
				s.absent = append(s.absent, scanned{c, log})
			}
		}
		for _, log := range place.Logs {
			if name := realPath(log.Name); seen[name] {
				continue
			} else if !log.Stream {
				seen[name] = true
			}
			found++
			if keep(log) {
				s.logs = append(s.logs, scanned{c, log})
			}
		}
	}
	nothing := ""
	if found > 0 && len(s.logs)+len(s.absent) == 0 && cut == "" {
		nothing = "nothing was left of " + plural(found, "session") + " by " + filterWords(cmd)
		f := finding.New(finding.ScanNothing, finding.Plain(nothing), finding.Place{Seq: -1})
		s.place(c.judge(result.Place(strings.Join(cmd.Args().Slice(), " "), []finding.Finding{f}))[0])
	}
	jobs := cmd.Int("jobs")
	if !cmd.IsSet("jobs") {
		jobs = runtime.NumCPU()
	}
	if cut != "" {
		f := finding.New(finding.ScanInterrupted, finding.Plain("it was not searched to the end"), finding.Place{Seq: -1, File: cut})
		s.place(result.Place(cut, []finding.Finding{f}))
	}
	for _, l := range s.absent {
		s.done(l.checker.judge(beside(l.Log, result.Absent(l.Name, l.Absent)))[0])
	}
	s.progress = newProgress(a.stderr, a.watched, len(s.logs))
	if !s.stopped {
		s.run(ctx, min(jobs, len(s.logs)))
	}
	s.progress.clear()
	if unchecked := len(s.logs) - s.logsChecked; unchecked > 0 {
		code := finding.ScanInterrupted
		if s.stopped {
			code = finding.ScanStopped
		}
		f := finding.New(code, finding.Say("%d of %s not checked", unchecked, plural(len(s.logs), "session")), finding.Place{Seq: -1})
		s.place(result.Place(strings.Join(cmd.Args().Slice(), " "), []finding.Finding{f}))
	}
	sort.SliceStable(s.report.Logs, func(i, j int) bool { return s.report.Logs[i].File < s.report.Logs[j].File })
	if err := s.out.finish(s.report); err != nil {
		return err
	}
	if cut != "" {
		return &statusError{exitUnreadable, "interrupted: " + cut + " was not searched to the end"}
	}
	if s.logsChecked < len(s.logs) && !s.stopped {
		return &statusError{exitUnreadable, fmt.Sprintf("interrupted: %d of %s checked", s.logsChecked, plural(len(s.logs), "session"))}
	}
	if nothing != "" {
		fmt.Fprintln(a.stderr, "dsh-verify: "+visible(nothing))
	}
	return verdictStatus(s.report.Verdict, cmd.Bool("strict"))
}

// findUntil is find, and returns nothing when the context ends first: a folder may
// take long to walk, and a pipe to open.
func (a *app) findUntil(ctx context.Context, cmd *cli.Command, root string) (*source.Place, error) {
	type result struct {
		place *source.Place
		err   error
	}
	found := make(chan result, 1)
	go func() {
		place, err := a.find(cmd, root)
		found <- result{place, err}
	}()
	var r result
	if !waitFor(ctx, found, &r) {
		return nil, ctx.Err()
	}
	return r.place, r.err
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

// filterWords names the flags that chose the sessions.
func filterWords(cmd *cli.Command) string {
	var words []string
	for _, name := range []string{"since", "project"} {
		if value := cmd.String(name); value != "" {
			words = append(words, "--"+name+" "+value)
		}
	}
	return strings.Join(words, " and ")
}

// scanFilter returns which logs are checked.
func scanFilter(cmd *cli.Command, now time.Time) (func(*source.Log) bool, error) {
	var since int64
	if text := cmd.String("since"); text != "" {
		when, err := parseSince(text, now)
		if err != nil {
			return nil, err
		}
		since = when.UnixMilli()
	}
	project := cmd.String("project")
	return func(l *source.Log) bool {
		if since > 0 && l.Modified > 0 && l.Modified < since {
			return false
		}
		if project == "" {
			return true
		}
		folder, _, _ := strings.Cut(strings.ReplaceAll(l.StorePath, `\`, "/"), "/")
		return strings.Contains(folder, project)
	}, nil
}

// maxDays is how far back --since may reach: a thousand years.
const maxDays = 365_000

func parseSince(text string, now time.Time) (time.Time, error) {
	if days, ok := strings.CutSuffix(text, "d"); ok && days != "" && strings.Trim(days, "0123456789") == "" {
		n, err := strconv.Atoi(days)
		if err != nil || n > maxDays {
			return now, usagef("--since %s is out of range: it takes at most %dd", text, maxDays)
		}
		return now.AddDate(0, 0, -n), nil
	}
	if d, err := time.ParseDuration(text); err == nil && d >= 0 {
		return now.Add(-d), nil
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04", "2006-01-02"} {
		if t, err := time.ParseInLocation(layout, text, time.Local); err == nil {
			return t, nil
		}
	}
	return now, usagef("--since takes a duration such as 36h or 7d, or a date such as 2026-11-30, not %q", text)
}

// A scanned log is checked as its root's policy says.
type scanned struct {
	checker *checker
	*source.Log
}

// A scanner checks logs in parallel and reports each as it is done. It holds
// counts, and reports only when a format needs them all.
type scanner struct {
	logs     []scanned
	absent   []scanned // sessions without a log
	out      *outputs
	keep     bool // the logs in the report
	progress *progress
	failFast bool

	mu          sync.Mutex
	places      int  // roots that have errors of their own
	checked     int  // sessions, and roots that could not be opened
	logsChecked int  // of logs
	stopped     bool // by --fail-fast
	atWork      int  // sessions that are being checked
	ended       bool // what is still being checked counts no more
	report      *result.Report
	counts      map[finding.Verdict]int
	codes       map[finding.Code]int // sessions by code of a warning or error
	requests    int
	older       int // files of older generations, which were not read
}

// lastWords is how long that may take which is under way when a scan is interrupted.
const lastWords = 500 * time.Millisecond

// waitFor receives from a channel, and gives up when the context has ended and that
// does not happen soon.
func waitFor[T any](ctx context.Context, from <-chan T, to *T) bool {
	select {
	case *to = <-from:
		return true
	case <-ctx.Done():
	}
	select {
	case *to = <-from:
		return true
	case <-time.After(lastWords):
		return false
	}
}

func (s *scanner) run(outer context.Context, jobs int) {
	ctx, stop := context.WithCancel(outer)
	defer stop()
	next := make(chan scanned)
	var wait sync.WaitGroup
	for range jobs {
		wait.Go(func() {
			for log := range next {
				s.begin()
				report := log.checker.log(log.Log)
				log.checker.lineage(log.Log, report, nil, nil)
				if s.log(log.checker.judge(report)[0]) {
					stop()
				}
			}
		})
	}
	for _, log := range s.logs {
		select {
		case next <- log:
		case <-ctx.Done():
		}
		if ctx.Err() != nil {
			break
		}
	}
	close(next)
	idle := make(chan struct{})
	go func() { wait.Wait(); close(idle) }()
	waitFor(outer, idle, new(struct{}))
	s.mu.Lock()
	s.ended = true
	s.mu.Unlock()
}

func (s *scanner) begin() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.atWork++
}

// log takes the report on a session and returns whether the scan should stop.
func (s *scanner) log(report *result.Log) (stop bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return true
	}
	s.atWork--
	s.logsChecked++
	s.progress.step()
	return s.done(report)
}

// done takes the report on a session, or on a root that could not be opened.
func (s *scanner) done(report *result.Log) (stop bool) {
	s.checked++
	s.counts[report.Verdict]++
	s.requests += report.Counts.Requests
	s.older += len(report.Older)
	s.add(report)
	if s.failFast && report.Verdict != finding.Verified && report.Verdict != finding.Rebuilt && report.Verdict != finding.Unverifiable {
		s.stopped = true
	}
	return s.stopped
}

// place takes the report on a root itself.
func (s *scanner) place(report *result.Log) {
	if report.Verdict != finding.Rebuilt && report.Verdict != "" {
		s.places++
	}
	s.add(report)
}

func (s *scanner) add(report *result.Log) {
	s.out.log(report)
	if s.keep {
		s.report.Add(report)
	}
	s.report.Weigh(report)
	seen := map[finding.Code]bool{}
	for _, f := range report.Findings {
		if f.Severity > finding.Note && f.Suppressed == "" && !seen[f.Code] {
			seen[f.Code] = true
			s.codes[f.Code]++
		}
	}
}

// A scanText prints a line per session, and what is wrong.
type scanText struct {
	*output.Text
	w       io.Writer
	scanner *scanner
}

func (s *scanner) newText(w io.Writer, opts output.Options) output.Renderer {
	return &scanText{output.NewText(w, opts), w, s}
}

func (t *scanText) Log(log *result.Log) { t.ScanLine(log) }

func (t *scanText) Close(*result.Report) error {
	s := t.scanner
	var verdicts []string
	for _, v := range []finding.Verdict{finding.Verified, finding.Rebuilt, finding.Unverifiable, finding.Drift, finding.Refused, finding.Unreadable} {
		if n := s.counts[v]; n > 0 {
			verdicts = append(verdicts, fmt.Sprintf("%d %s", n, v))
		}
	}
	switch {
	case len(verdicts) > 0:
	case s.report.Verdict == finding.Nothing:
		verdicts = []string{"none left to check"}
	default:
		verdicts = []string{"none found"}
	}
	codes := make([]finding.Code, 0, len(s.codes))
	for code := range s.codes {
		codes = append(codes, code)
	}
	sort.Slice(codes, func(i, j int) bool {
		if s.codes[codes[i]] != s.codes[codes[j]] {
			return s.codes[codes[i]] > s.codes[codes[j]]
		}
		return codes[i].String() < codes[j].String()
	})
	for _, code := range codes {
		fmt.Fprintf(t.w, "%6d  %s\n", s.codes[code], code)
	}
	if s.places > 0 {
		verdicts = append(verdicts, fmt.Sprintf("and what is wrong with %s", plural(s.places, "root")))
	}
	if s.older > 0 {
		verdicts = append(verdicts, plural(s.older, "older generation")+" left aside")
	}
	_, err := fmt.Fprintf(t.w, "%s, %s: %s\n", plural(s.checked, "session"), plural(s.requests, "request"), strings.Join(verdicts, ", "))
	return err
}

// scanNDJSON prints a line per session, without the rows of its requests, and a
// last line with the counts.
type scanNDJSON struct {
	*output.NDJSON
	scanner *scanner
}

func (s *scanner) newNDJSON(w io.Writer, _ output.Options) output.Renderer {
	return &scanNDJSON{output.NewNDJSON(w), s}
}

func (n *scanNDJSON) Log(log *result.Log) {
	short := *log
	short.Requests = []result.Request{}
	n.Line(&short)
}

func (n *scanNDJSON) Close(report *result.Report) error {
	s := n.scanner
	return n.Line(struct {
		SchemaVersion int                     `json:"schemaVersion"`
		Verdict       finding.Verdict         `json:"verdict"`
		Sessions      int                     `json:"sessions"`
		Requests      int                     `json:"requests"`
		Verdicts      map[finding.Verdict]int `json:"verdicts"`
		Codes         map[finding.Code]int    `json:"codes"`
		Older         int                     `json:"olderGenerations,omitempty"`
	}{report.SchemaVersion, report.Verdict, s.checked, s.requests, s.counts, s.codes, s.older})
}

// A progress is a bar on a terminal; a nil one is silent.
type progress struct {
	w           io.Writer
	total, done int
	last        time.Time
}

func newProgress(w io.Writer, terminal bool, total int) *progress {
	if !terminal || total < 2 {
		return nil
	}
	return &progress{w: w, total: total}
}

func (p *progress) step() {
	if p == nil {
		return
	}
	p.done++
	if now := time.Now(); now.Sub(p.last) > 100*time.Millisecond || p.done == p.total {
		p.last = now
		const width = 30
		full := width * p.done / p.total
		fmt.Fprintf(p.w, "\r[%s%s] %d of %d sessions", strings.Repeat("#", full), strings.Repeat(".", width-full), p.done, p.total)
	}
}

func (p *progress) clear() {
	if p != nil {
		fmt.Fprintf(p.w, "\r%s\r", strings.Repeat(" ", 70))
	}
}
