package report

import (
	"errors"
	"fmt"

	"github.com/dsh-verify/dsh-verify/internal/check/promptcache"
	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/provenance"
	"github.com/dsh-verify/dsh-verify/internal/requestlog"
	"github.com/dsh-verify/dsh-verify/internal/result"
	"github.com/dsh-verify/dsh-verify/reconstruct"
	"github.com/dsh-verify/dsh-verify/reconstruct/transcript"
)

// A Row is a line of the table of requests: a request, or a run of requests that
// each extend the one before.
type Row struct {
	Anchor   string
	Run      string // of a run: its requests in words
	Ordinal  string
	Key      string
	Time     string
	Kind     string
	Relation string
	Model    string
	Messages string
	Bytes    string
	Broke    bool   // it broke the prefix of the one before
	Kept     string // share of its prompt that the prompt before it started with
	KeptBar  int    // the same in 60ths
	Input    string // tokens
	Cached   string
	Verdict  finding.Verdict
	Detail   *Detail
}

// A Detail is what a request opens to.
type Detail struct {
	Title    string
	Facts    []Fact
	Cache    *CacheNote
	Change   *Change
	Drift    *Drift
	Findings []Link
	Header   *Header
	Config   *Header // of a retry whose config is newer than its header; else nil
	Base     Link    // the request on the page that Kept messages are taken from
	Kept     int
	KeptText string
	Added    []Entry
	Command  string
}

// An Entry is a message of a request's list, or a number of messages that the
// list leaves out.
type Entry struct {
	Message *Message
	Index   int // in the request
	Gap     int
	GapText string
}

// maxEntries bounds the messages that one request lists beyond those of the
// request before.
const maxEntries = 200

// A collector reads a log for the page.
type collector struct {
	session *Session
	log     *result.Log
	source  Source
	ink     ink
	plan    []bool

	history     *provenance.History
	messages    map[int64]*Message
	headers     map[int64]*Header
	attachments map[string]*Attachment
	shown       map[string]bool
	recording   *requestlog.File
	entries     map[string]*requestlog.Entry
	drifts      map[string]string // a drifted request to the first that drifts for the same reason
	pictures    int

	cached map[string]*promptcache.Request
	bars   []bar
	ends   []*string // how each request ended
	base   *based    // the latest request on the page
	before *reconstruct.Request
	start  int64 // when the open step started
}

// A based is a request on the page that the next one refers to.
type based struct {
	key  string
	seqs []int64
}

func (c *collector) run() {
	c.history = provenance.NewHistory()
	c.history.Redactor = c.ink.redactor
	c.messages, c.headers = make(map[int64]*Message), make(map[int64]*Header)
	c.attachments, c.shown = make(map[string]*Attachment), make(map[string]bool)
	for i, r := range c.log.Requests {
		c.shown[r.Key()] = c.plan[i]
	}
	if len(c.log.Requests) == 0 {
		return
	}
	c.openRecording()
	if c.recording != nil {
		defer c.recording.Close()
	}
	err := c.readCache()
	if err == nil {
		err = c.read()
	}
	if err != nil {
		// The first reading accepted the log, so it changed in between.
		c.session.Note = "The log changed while it was read: " + c.ink.line(err.Error())
	}
	c.finish()
}

// read goes through the log a second time.
func (c *collector) read() error {
	reader, closer, err := c.source.Open()
	if err != nil {
		return err
	}
	defer closer.Close()
	header, err := reader.Header()
	if err != nil {
		return err
	}
	session := reconstruct.NewSession(header, reconstruct.Options{})
	var open *string
	for rec, err := range reader.Records() {
		if err != nil {
			return err
		}
		q, err := session.Apply(rec)
		act := session.Act()
		if act.Kind == transcript.StepStart {
			c.start, open = act.Time(), nil
		}
		if err == nil && q != nil {
			open, err = c.request(q)
		}
		if err != nil {
			return err
		}
		if open != nil && act.Kind == transcript.StreamEnd {
			*open = act.End.Text()
		}
	}
	if q := session.Finish(); q != nil {
		_, err = c.request(q)
	}
	return err
}

var errOtherRequests = errors.New("it shows other requests now")

// request takes one request, and returns where it is noted how it ended.
func (c *collector) request(q *reconstruct.Request) (*string, error) {
	i := len(c.bars)
	if i >= len(c.log.Requests) || c.log.Requests[i].SHA256 != q.Digest().String() {
		return nil, errOtherRequests
	}
	row := c.log.Requests[i]
	kind := kindOf(q)
	c.history.See(q)
	b := bar{key: q.Key(), turn: q.Turn, bytes: q.Len(), kind: kind, words: row.Relation, verdict: row.Verdict, shown: c.plan[i], prepared: q.Prepared, broke: c.broke(q.Key())}
	b.prompt, b.kept = c.prompt(q.Key())
	if u := c.cached[q.Key()]; u != nil && !q.Prepared {
		b.share, b.reported = share(u.Usage)
		b.unexplained = u.Verdict == promptcache.UnexplainedDrop
	}
	c.bars = append(c.bars, b)
	end := new(string)
	c.ends = append(c.ends, end)
	if c.plan[i] {
		r := c.row(row, kind)
		r.Time = hour(c.start)
		r.Detail = c.detail(q, row)
		c.session.Rows = append(c.session.Rows, r)
	} else {
		c.session.Rows = append(c.session.Rows, nil)
	}
	if q.Prepared {
		return nil, nil
	}
	c.before = q.Keep()
	return end, nil
}

func (c *collector) requestAnchor(key string) string { return c.session.Anchor + "-r-" + key }

func (c *collector) row(r result.Request, kind string) *Row {
	row := &Row{
		Key: r.Key(), Ordinal: "–", Kind: kind, Relation: r.Relation, Model: c.ink.name(clip(r.Model, 80)),
		Messages: number(r.Messages), Bytes: size(r.Bytes), Verdict: r.Verdict, Input: "–", Cached: "–", Kept: "–",
	}
	if c.shown[r.Key()] {
		row.Anchor = c.requestAnchor(r.Key())
	}
	if r.Ordinal > 0 {
		row.Ordinal = number(r.Ordinal)
	}
	q := c.cached[r.Key()]
	if q == nil || r.Prepared {
		return row
	}
	if !q.First && q.PromptBytes > 0 {
		row.Kept, row.KeptBar = percent(q.KeptBytes, q.PromptBytes), int(min(60, 60*q.KeptBytes/q.PromptBytes))
	}
	if q.Usage.Input >= 0 {
		row.Input = number(int64(q.Usage.Input))
	}
	if q.Usage.CacheRead >= 0 {
		row.Cached = number(int64(q.Usage.CacheRead))
	}
	row.Broke = c.broke(r.Key()) != ""
	return row
}

// digest is the fact of a request's digest, which is keyed on a redacted page.
func (c *collector) digest(sha256 string) Fact {
	if c.ink.redactor != nil {
		return Fact{"HMAC-SHA-256", c.ink.redactor.Digest(sha256)}
	}
	return Fact{"SHA-256", sha256}
}

func (c *collector) detail(q *reconstruct.Request, row result.Request) *Detail {
	title := "Request " + q.Key()
	if q.Ordinal > 0 {
		title = fmt.Sprintf("Request %s · %s", number(q.Ordinal), q.Key())
	}
	d := &Detail{Title: title, Command: fmt.Sprintf("dsh-verify explain %s %s", c.session.Command, q.Key())}
	d.Facts = []Fact{
		{"Model", c.ink.name(row.Provider + " / " + row.Model)},
		{"Step started", clock(c.start)},
		{"Length", fmt.Sprintf("%s bytes, %s", number(q.Len()), counted(q.Count(), "message", "messages"))},
		c.digest(row.SHA256),
		{"Boundary", boundary(q)},
	}
	if !row.Exact {
		d.Facts = append(d.Facts, Fact{"Not as sent", "the bytes that were sent were others: see the findings"})
	}
	d.Header = c.header(q.Header)
	if q.Config.Seq != q.Header.Seq {
		d.Config = c.header(q.Config)
	}
	c.list(d, q)
	d.Change = c.change(q)
	if !q.Prepared {
		d.Cache = c.cacheNote(q.Key())
	}
	if row.Verdict == finding.Drift {
		d.Drift = c.drift(q)
	}
	return d
}

func boundary(q *reconstruct.Request) string {
	b := q.Boundary
	sent := "nothing shows that it was sent"
	if b.Dispatch >= 0 {
		sent = fmt.Sprintf("seq %d shows that it was sent", b.Dispatch)
	}
	return fmt.Sprintf("step from seq %d, messages as before seq %d, %s", b.StepStart, b.Messages, sent)
}

// list lists the messages of a request against those of the latest one on the
// page.
func (c *collector) list(d *Detail, q *reconstruct.Request) {
	next := &based{key: q.Key()}
	total := q.Count()
	for p := range q.Parts() {
		if p.Message == nil {
			continue
		}
		i := len(next.seqs)
		next.seqs = append(next.seqs, p.Message.Seq)
		if c.base != nil && d.Kept == i && i < len(c.base.seqs) && c.base.seqs[i] == p.Message.Seq {
			d.Kept++
			continue
		}
		if n := len(d.Added); n >= maxEntries/2 && total-i > maxEntries/2 {
			if d.Added[n-1].Message != nil {
				d.Added = append(d.Added, Entry{})
				n++
			}
			d.Added[n-1].Gap++
			d.Added[n-1].GapText = counted(d.Added[n-1].Gap, "message", "messages")
			continue
		}
		d.Added = append(d.Added, Entry{Message: c.add(c.history.Part(q, p)), Index: i})
	}
	if d.Kept > 0 {
		d.Base = Link{c.requestAnchor(c.base.key), c.base.key}
		d.KeptText = "first message"
		if d.Kept > 1 {
			d.KeptText = fmt.Sprintf("first %s messages", number(d.Kept))
		}
	}
	c.base = next
}

// finish adds what is known at the end: usage, runs, charts.
func (c *collector) finish() {
	s := c.session
	for i, row := range s.Rows {
		if row != nil && *c.ends[i] != "" {
			row.Detail.Facts = append(row.Detail.Facts, Fact{"Ended with", c.ink.word(*c.ends[i])})
		}
	}
	c.linkFindings()
	c.foldRuns()
	for _, kind := range kinds {
		for _, b := range c.bars {
			if b.kind == kind.Name {
				kind.Count++
			}
		}
		if kind.Count > 0 {
			s.Kinds = append(s.Kinds, kind)
		}
	}
	s.Timeline = timeline(s.Anchor, c.bars)
	s.Cache = cacheChart(s.Anchor, c.bars)
}

// linkFindings gives each request the findings that name it.
func (c *collector) linkFindings() {
	rows := make(map[string]*Row)
	for _, row := range c.session.Rows {
		if row != nil {
			rows[row.Key] = row
		}
	}
	for _, f := range c.log.Findings {
		keys := f.Requests
		if len(keys) == 0 && f.Place.Request != "" {
			keys = []string{f.Place.Request}
		}
		if f.Severity == finding.Note {
			continue
		}
		for _, key := range keys {
			if row := rows[key]; row != nil {
				row.Detail.Findings = append(row.Detail.Findings, Link{c.session.Anchor + "-findings", f.Code.String()})
			}
		}
	}
}

// foldRuns puts requests that are not shown into one row for each run of them.
func (c *collector) foldRuns() {
	var rows []*Row
	for i := 0; i < len(c.session.Rows); i++ {
		if row := c.session.Rows[i]; row != nil {
			rows = append(rows, row)
			continue
		}
		from := i
		for i+1 < len(c.session.Rows) && c.session.Rows[i+1] == nil {
			i++
		}
		rows = append(rows, c.runRow(from, i))
		c.session.Folded += i - from + 1
	}
	c.session.Rows = rows
}

func (c *collector) runRow(from, to int) *Row {
	first, last := c.log.Requests[from], c.log.Requests[to]
	row := &Row{Kind: "extends", Verdict: first.Verdict, Messages: number(last.Messages), Bytes: size(last.Bytes)}
	for i := from; i <= to; i++ {
		if b := c.bars[i]; b.kind != "extends" {
			row.Kind = b.kind
		}
		row.Verdict = finding.Worse(row.Verdict, c.log.Requests[i].Verdict)
	}
	what := "each extends the one before"
	if row.Kind != "extends" {
		what = "among them others than plain extensions"
	}
	row.Run = fmt.Sprintf("%s to %s: %s, %s", first.Key(), last.Key(), counted(to-from+1, "request", "requests"), what)
	return row
}

// openRecording opens the recording when a request differs from it.
func (c *collector) openRecording() {
	c.drifts = make(map[string]string)
	for _, f := range c.log.Findings {
		if f.Code == finding.RecordingDrift {
			for _, key := range f.Requests {
				c.drifts[key] = f.Requests[0]
			}
		}
	}
	if len(c.drifts) == 0 || c.source.Recording == "" {
		return
	}
	file, err := requestlog.Open(c.source.Recording)
	if err != nil {
		return
	}
	c.recording, c.entries = file, make(map[string]*requestlog.Entry)
	for _, e := range file.Entries {
		if file.Settle(e) == "" && e.SessionID == c.log.Session.ID {
			c.entries[e.Key()] = e // the last, as the comparison takes it where none is equal
		}
	}
}
