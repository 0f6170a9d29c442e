package report

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/redact"
	"github.com/dsh-verify/dsh-verify/internal/result"
	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/objectstore"
)

// A Source is where a log's requests are read again, to be shown.
type Source struct {
	// Open opens the log.
	Open func() (*logformat.Reader, io.Closer, error)
	// Recording is the path of the requests.jsonl that the log was compared with,
	// "" when it was not.
	Recording string
	// Objects is the store of the log's attachments, nil when none is available.
	Objects *objectstore.Verifier
	// Redactor, when set, replaces text of the log.
	Redactor *redact.Redactor
}

// A Session is one log on the page.
type Session struct {
	Anchor  string // what the ids of its elements start with
	Name    string // the session's id, or the file's name
	File    string
	Verdict finding.Verdict
	Place   bool   // no log, but what an argument names
	Answer  string // the verdict in a sentence
	Basis   []Check
	Facts   []Fact
	Note    string // why requests are not shown, "" when they are

	Timeline    *Chart
	Cache       *Chart
	Costs       []CostRow
	Patterns    []string
	Kinds       []Kind
	Rows        []*Row
	Messages    []*Message
	Headers     []*Header
	Attachments []*Attachment
	Findings    []*Finding
	Command     string // how the log is named on a command line

	Recorded     bool // it was compared with a recording
	Objects      bool // it was checked against attachments
	RequestCount int
	Folded       int // requests that are listed as runs only
}

// A Check is one thing that the verdict rests on.
type Check struct {
	State string // ok, bad, open
	What  string
	Says  string
}

// A Fact is one number or name about the log.
type Fact struct{ Name, Value string }

// A Finding is a finding with links to the places that it names.
type Finding struct {
	Severity, Code, Message, Action string
	Where                           []Link
	Requests                        []Link
	MoreRequests                    int
	Detail                          []string
	Suppressed                      string
}

// A Link leads to a place of the page; without a target it is plain text.
type Link struct{ Target, Text string }

// maxListed bounds the requests that a finding lists.
const maxListed = 40

// Collect makes the part of the page that shows one log; n counts the logs of
// the page from 1.
func Collect(n int, log *result.Log, source Source) *Session {
	k := ink{source.Redactor}
	s := &Session{
		Anchor: fmt.Sprintf("s%d", n), Name: k.name(clip(log.Session.ID, 120)), File: k.path(log.File),
		Verdict: log.Verdict, Place: log.Place, RequestCount: len(log.Requests), Command: command(k.path(log.File)),
	}
	if s.Name == "" {
		s.Name = k.name(filepath.Base(log.File))
	}
	s.Recorded, s.Objects = log.ComparedWith != "", log.Objects != "" && log.Counts.Objects > 0
	s.Answer, s.Basis, s.Facts = answer(log), basis(log, k), facts(log, k)
	c := &collector{session: s, log: log, source: source, ink: k, plan: choose(log)}
	c.run()
	s.Findings = c.findings()
	return s
}

// command quotes a file name for a shell where that is needed.
func command(file string) string {
	if strings.Trim(file, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/:") == "" {
		return file
	}
	return "'" + strings.ReplaceAll(file, "'", `'\''`) + "'"
}

// answer puts the verdict in a sentence.
func answer(log *result.Log) string {
	c := log.Counts
	requests := counted(c.Requests, "request", "requests")
	switch log.Verdict {
	case finding.Verified:
		return fmt.Sprintf("The log is sound, and the %s that it shows are, byte for byte, those that were recorded.", requests)
	case finding.Rebuilt:
		if c.Requests == 0 {
			return "The log is sound. It shows no request."
		}
		return fmt.Sprintf("The log is sound, and %s could be rebuilt from it. There was no recording to compare with.", requests)
	case finding.Unverifiable:
		return fmt.Sprintf("The log is sound, and %s could be rebuilt. Something that a check needs was not available.", requests)
	case finding.Drift:
		if c.Drifted > 0 {
			return fmt.Sprintf("%s of %s not what was recorded.", number(c.Drifted), counted(len(log.Requests), "request is", "requests are"))
		}
		return "The log is sound, but what goes with it fails: see the findings."
	case finding.Refused:
		return "The log cannot be trusted, so nothing that it says is shown."
	}
	return "The log could not be read."
}

// basis lists what the verdict rests on.
func basis(log *result.Log, k ink) []Check {
	if log.Verdict == finding.Unreadable {
		return nil
	}
	c := log.Counts
	if log.Verdict == finding.Refused {
		return []Check{{"bad", "Log", fmt.Sprintf("refused; %s read", counted(c.Lines, "line", "lines"))}}
	}
	list := []Check{{"ok", "Log", fmt.Sprintf("accepted as format %d: %s, %s", log.Session.FormatVersion, counted(c.Lines, "line", "lines"), size(c.Bytes))}}
	requests := Check{"ok", "Requests", counted(c.Requests, "request", "requests") + " rebuilt"}
	if c.Prepared > 0 {
		requests.Says += fmt.Sprintf(", and %s that the log does not show as sent", number(c.Prepared))
	}
	list = append(list, requests)
	list = append(list, recording(log, k))
	list = append(list, attachments(log)...)
	return append(list, said(log))
}

// recording is what a recording said.
func recording(log *result.Log, k ink) Check {
	c := log.Counts
	switch {
	case log.ComparedWith == "":
		return Check{"open", "Recording", "none available: nothing vouches for the log but itself"}
	case c.Drifted > 0:
		return Check{"bad", "Recording", fmt.Sprintf("%s differ, %s equal, in %s", number(c.Drifted), number(c.Verified), k.path(log.ComparedWith))}
	case c.Verified == 0:
		return Check{"open", "Recording", "nothing of this session in " + k.path(log.ComparedWith)}
	default:
		return Check{"ok", "Recording", fmt.Sprintf("%s equal to %s", counted(c.Verified, "request", "requests"), k.path(log.ComparedWith))}
	}
}

// attachments is what the object store said, nothing where no request has any.
func attachments(log *result.Log) []Check {
	c := log.Counts
	switch {
	case c.Objects == 0:
		return nil
	case log.Objects == "":
		return []Check{{"open", "Attachments", counted(c.Objects, "attachment", "attachments") + ", and no store available to check them"}}
	case c.ObjectsOK < c.Objects:
		return []Check{{"bad", "Attachments", fmt.Sprintf("%s of %s fail", number(c.Objects-c.ObjectsOK), number(c.Objects))}}
	default:
		return []Check{{"ok", "Attachments", counted(c.Objects, "attachment is", "attachments are") + " what the log names, by digest, length, type and size"}}
	}
}

// said is how many findings there are.
func said(log *result.Log) Check {
	errors, warnings := 0, 0
	for _, f := range log.Findings {
		switch {
		case f.Suppressed != "":
		case f.Severity == finding.Error:
			errors++
		case f.Severity == finding.Warning:
			warnings++
		}
	}
	switch {
	case errors > 0:
		return Check{"bad", "Findings", fmt.Sprintf("%s, %s", counted(errors, "error", "errors"), counted(warnings, "warning", "warnings"))}
	case warnings > 0:
		return Check{"open", "Findings", counted(warnings, "warning", "warnings")}
	default:
		return Check{"ok", "Findings", "no error and no warning"}
	}
}

func facts(log *result.Log, k ink) []Fact {
	s, c := log.Session, log.Counts
	list := []Fact{{"File", k.path(log.File)}}
	add := func(name, value string) {
		if value != "" {
			list = append(list, Fact{name, value})
		}
	}
	if s.ID == "" {
		return list
	}
	add("Session", k.name(s.ID))
	add("Created", clock(s.CreatedAt))
	if s.Cwd != "" {
		add("Folder", k.line(s.Cwd))
	}
	add("Parent session", k.name(s.ParentSession))
	add("Origin", k.name(s.Origin))
	add("Stored as", string(s.Encoding))
	add("Events", number(c.Events))
	add("Turns, steps", number(c.Turns)+", "+number(c.Steps))
	if c.Retries > 0 {
		add("Retries", number(c.Retries))
	}
	add("Header snapshots", number(c.Headers))
	add("Replaced spans", number(c.Replaces))
	var models []string
	for _, r := range log.Requests {
		if m := k.name(r.Model); m != "" && !slices.Contains(models, m) {
			models = append(models, m)
		}
	}
	add("Models", strings.Join(models, ", "))
	return list
}

// findings links the log's findings to the places that are on the page.
func (c *collector) findings() (list []*Finding) {
	for _, f := range c.log.Findings {
		out := &Finding{Severity: f.Severity.String(), Code: f.Code.String(), Message: c.message(f), Action: f.Action, Suppressed: c.ink.name(f.Suppressed)}
		out.Where = c.where(f)
		for i, key := range f.Requests {
			if i == maxListed {
				out.MoreRequests = len(f.Requests) - i
				break
			}
			out.Requests = append(out.Requests, c.requestLink(key, key))
		}
		if c.ink.redactor == nil {
			for _, line := range f.Lines() {
				out.Detail = append(out.Detail, c.ink.line(line))
			}
		}
		list = append(list, out)
	}
	slices.SortStableFunc(list, func(a, b *Finding) int { return severityRank(a.Severity) - severityRank(b.Severity) })
	return list
}

// where lists the places of a finding.
func (c *collector) where(f finding.Finding) (links []Link) {
	if f.Place.Request != "" {
		links = append(links, c.requestLink(f.Place.Request, "request "+f.Place.Request))
	}
	if f.Place.Seq >= 0 {
		links = append(links, c.seqLink(f.Place.Seq))
	}
	if f.Cause != nil && f.Cause.Seq >= 0 && f.Cause.Seq != f.Place.Seq {
		links = append(links, c.seqLink(f.Cause.Seq))
	}
	if line := c.line(f.Place); line != "" {
		links = append(links, Link{Text: line})
	}
	if f.Place.Object != "" {
		links = append(links, c.objectLink(f.Place.Object))
	}
	return links
}

// line names a line of the log, or of another file; "" where a finding has neither.
func (c *collector) line(at finding.Place) string {
	var words []string
	if at.File != "" && at.File != c.log.File {
		words = append(words, c.ink.path(at.File))
	} else if at.File == "" {
		return ""
	}
	if at.Line > 0 {
		words = append(words, fmt.Sprintf("line %d", at.Line))
	}
	return strings.Join(words, " ")
}

func severityRank(s string) int { return slices.Index([]string{"error", "warning", "note"}, s) }

// message is a finding's sentence. Redacted, it is the catalogue's own, because
// what was found there may be quoted in it.
func (c *collector) message(f finding.Finding) string {
	if c.ink.redactor != nil {
		return f.Code.Entry().Meaning
	}
	return c.ink.line(f.Message())
}

func (c *collector) requestLink(key, text string) Link {
	if c.shown[key] {
		return Link{c.requestAnchor(key), text}
	}
	return Link{Text: text}
}

func (c *collector) seqLink(seq int64) Link {
	text := fmt.Sprintf("seq %d", seq)
	switch {
	case c.messages[seq] != nil:
		return Link{c.messages[seq].Anchor, text}
	case c.headers[seq] != nil:
		return Link{c.headers[seq].Anchor, text}
	}
	return Link{Text: text}
}

func (c *collector) objectLink(id string) Link {
	if a := c.attachments[id]; a != nil {
		return Link{a.Anchor, "attachment " + a.Short}
	}
	if redacted := c.ink.redactor.Object(id); redacted != id {
		return Link{Text: redacted}
	}
	return Link{Text: c.ink.name(clip(id, 20))}
}
