package compare

import (
	"bytes"
	"fmt"

	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/requestlog"
	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
	"github.com/dsh-verify/dsh-verify/reconstruct"
)

// lifetimes is where the processes that wrote a log follow each other, and which lines
// of its recording are of each. A process that dies before its last events are stored
// leaves recorded requests that the log does not show, and the next one uses their
// numbers again. Such lines lie where the one ends and the other begins, and nowhere
// else.
type lifetimes struct {
	list  []lifetime         // the first has no process before it
	users map[string][]int64 // of a request's number: in which lifetimes the log shows it
}

// A lifetime is the lines of the recording that are of one process's requests; 0: none.
type lifetime struct {
	first, last int64
	behind      int64 // the last of all lifetimes before it
}

// act notes where a process ended.
func (l *lifetimes) act(session *reconstruct.Session) {
	if session.EndsLifetime() {
		l.start()
		l.list = append(l.list, lifetime{})
	}
}

func (l *lifetimes) start() {
	if l.list == nil {
		l.list, l.users = make([]lifetime, 1), make(map[string][]int64)
	}
}

// now is the number of the current lifetime.
func (l *lifetimes) now() int64 { return int64(len(l.list)) - 1 }

// resumed reports whether the current process went on where another one ended.
func (l *lifetimes) resumed() bool { return l.now() > 0 }

func (l *lifetimes) request(key string) {
	l.start()
	l.users[key] = append(l.users[key], l.now())
}

// line notes a line of the recording that is of the current process.
func (l *lifetimes) line(n int64) {
	now := &l.list[l.now()]
	now.last = max(now.last, n)
	if now.first == 0 || n < now.first {
		now.first = n
	}
}

// settle makes the list ready for lost, when all lines are known.
func (l *lifetimes) settle() {
	last := int64(0)
	for i := range l.list {
		l.list[i].behind = last
		last = max(last, l.list[i].last)
	}
}

// lost reports whether a line lies where lifetime i follows on another: after all
// lines of those before it, and before its own.
func (l *lifetimes) lost(line, i int64) bool {
	at := l.list[i]
	return i > 0 && line > at.behind && (at.first == 0 || line < at.first)
}

// An undecided request is one that the log cannot show as sent, whose recorded bytes
// differ. What was recorded may be of a process before: that is known at the end.
type undecided struct {
	request  *reconstruct.Request
	row      int
	entry    *requestlog.Entry
	at       int64
	lifetime int64
}

// decide settles the undecided requests.
func (c *Check) decide() {
	c.lifetimes.settle()
	for _, u := range c.undecided {
		if c.taken[u.entry] || c.lifetimes.lost(u.entry.Line, u.lifetime) {
			continue // of another request, or left over
		}
		c.assign(u.entry)
		c.drift(u.request, u.entry, u.at)
		c.log.Requests[u.row].Verdict = finding.Drift
	}
}

// leftOver reports the entries that are no request's.
func (c *Check) leftOver() {
	for _, e := range c.file.Entries {
		if e.SessionID != c.log.Session.ID || c.taken[e] || c.gone[e] {
			continue
		}
		if c.readWhole(e); c.gone[e] {
			continue
		}
		users := c.lifetimes.users[e.Key()]
		if len(users) == 0 {
			c.fold(&c.extra, finding.RecordingExtra, finding.Place{Request: e.Key(), Line: e.Line, Seq: -1, File: c.file.Path})
			continue
		}
		c.again(e, users)
	}
}

// again reports an entry under a number that another entry or request has.
func (c *Check) again(e *requestlog.Entry, users []int64) {
	place := finding.Place{Request: e.Key(), Line: e.Line, Seq: -1, File: c.file.Path}
	other := c.ofKey[e.Key()]
	for _, i := range users {
		if c.lifetimes.lost(e.Line, i) && (other == nil || !c.same(e, other)) {
			c.report(finding.RecordingSuperseded, finding.Say("line %d, request %s", e.Line, e.Key()), place)
			return
		}
	}
	detail := fmt.Sprintf("request %s stands in line %d and the log has no other of this number", e.Key(), e.Line)
	if other != nil {
		place.Line = max(e.Line, other.Line)
		detail = fmt.Sprintf("request %s stands in line %d and again in line %d", e.Key(), min(e.Line, other.Line), place.Line)
		if !c.same(e, other) {
			detail += ", with other bytes"
		}
	}
	c.report(finding.RecordingDuplicate, finding.Plain(detail), place)
}

// same reports whether two entries are the same request, however each is spelled.
func (c *Check) same(a, b *requestlog.Entry) bool {
	first, err := c.file.Bytes(a)
	if err != nil {
		return false
	}
	second, err := c.file.Bytes(b)
	return err == nil && (bytes.Equal(first, second) || ecmajson.Equal(first, second))
}
