package capture

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"strconv"

	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/result"
	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
	"github.com/dsh-verify/dsh-verify/reconstruct/wire"
)

// A plugin of release 0.1.2 posts the log itself with each request: in a member
// after the body's last, its events since what was accepted before,
//
//	{"version":1,"session":{…},"afterSeq":N,"throughSeq":N,"events":[{"type","seq","time","data",…},…]}
//
// This file compares them with the log's.

// A postedEvents compares what bodies carry of the log with the log. nil compares
// nothing.
type postedEvents struct {
	header   *logformat.SessionHeader
	digests  [][sha256.Size]byte // of the events as they are posted, by number
	accepted []acceptance
	buf      []byte
}

// An acceptance is an event by which the log says that a post was accepted.
type acceptance struct{ seq, through int64 }

// record notes what the log holds.
func (p *postedEvents) record(rec *logformat.Record) {
	if p == nil {
		return
	}
	for e := range rec.Events() {
		p.buf = appendPosted(p.buf[:0], e)
		p.digests = append(p.digests, sha256.Sum256(p.buf))
		if e.Type == logformat.TypeDeliveryAccepted && e.Data.Lookup("sessionId").Is(p.header.ID) {
			through, _ := e.Data.Lookup("throughSeq").SafeInt()
			p.accepted = append(p.accepted, acceptance{e.Seq, through})
		}
	}
}

// appendPosted appends an event as it is posted.
func appendPosted(dst []byte, e *logformat.Event) []byte {
	dst = append(ecmajson.AppendString(append(dst, `{"type":`...), e.Type), `,"seq":`...)
	dst = append(strconv.AppendInt(dst, e.Seq, 10), `,"time":`...)
	dst = append(strconv.AppendInt(dst, e.Time, 10), `,"data":`...)
	dst = append(dst, e.Data...)
	if e.Ignorable {
		dst = append(dst, `,"ignorable":true`...)
	}
	if e.Sources != nil {
		dst = append(dst, `,"sourceEventSeqs":[`...)
		for i, seq := range e.Sources {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = strconv.AppendInt(dst, seq, 10)
		}
		dst = append(dst, ']')
	}
	switch e.Surface.Op {
	case logformat.OpAppend:
		dst = append(dst, `,"surfaceOp":"append"`...)
	case logformat.OpReplace:
		dst = fmt.Appendf(dst, `,"surfaceOp":{"op":"replace","start":%d,"end":%d}`, e.Surface.Start, e.Surface.End)
	}
	return append(dst, '}')
}

// close compares what each body carries, and says what does not agree.
func (p *postedEvents) close(log *result.Log, posts []*posted, place finding.Place) {
	if p == nil {
		return
	}
	equal := 0
	for _, post := range posts {
		for _, m := range post.extra.Members {
			if m.Name != wire.SessionLog {
				continue
			}
			fault, seq := p.compare(m.Value)
			if fault == "" {
				equal++
				continue
			}
			where := place
			where.Seq, where.Request = seq, post.key
			log.Note(finding.CaptureSessionLogDiffers, finding.Say("%s: %s", post.Name, fault), where)
		}
	}
	if equal > 0 {
		log.Note(finding.CaptureSessionLog, finding.Plain(bodies(equal)), place)
	}
}

// compare says in what a posted log is not this one, and at which event.
func (p *postedEvents) compare(posted ecmajson.Value) (fault string, seq int64) {
	through, ok := posted.Lookup("throughSeq").SafeInt()
	if !ok || through < 0 {
		return "it does not say how far it goes", -1
	}
	after := p.acceptedBefore(through)
	head := p.head(posted, after, through)
	if head == 0 {
		return fmt.Sprintf("what precedes the events is not the session's header and events %d to %d", after+1, through), -1
	}
	next, length := after+1, 0
	for e := range posted.Lookup("events").Elements() {
		if next >= int64(len(p.digests)) {
			return fmt.Sprintf("it holds event %d, and the log ends before", next), next
		}
		if sha256.Sum256(e) != p.digests[next] {
			return fmt.Sprintf("event %d is another", next), next
		}
		next++
		length += len(e) + len(",")
	}
	if next != through+1 {
		return fmt.Sprintf("it ends before event %d", next), next
	}
	if head+length-len(",")+len("]}") != len(posted) {
		return "it is not as the harness prints it", -1
	}
	return "", -1
}

// acceptedBefore is the last event that the log says was accepted, of what it said up
// to an event.
func (p *postedEvents) acceptedBefore(seq int64) int64 {
	last := int64(-1)
	for _, a := range p.accepted {
		if a.seq <= seq {
			last = max(last, a.through)
		}
	}
	return last
}

// head returns the length of what precedes the events, 0 where it is not as it should
// be. A delegationDepth of 0 is absent until the session is resumed.
func (p *postedEvents) head(posted ecmajson.Value, after, through int64) int {
	for _, depth := range []bool{true, false} {
		if p.header.DelegationDepth > 0 && !depth {
			break
		}
		want := append([]byte(`{"version":1,"session":`), p.header.AppendPosted(nil, depth)...)
		want = fmt.Appendf(want, `,"afterSeq":%d,"throughSeq":%d,"events":[`, after, through)
		if bytes.HasPrefix(posted, want) {
			return len(want)
		}
	}
	return 0
}
