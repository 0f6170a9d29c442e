package seal

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/dsh-verify/dsh-verify/internal/finding"
)

// most is how many edits are named one by one.
const most = 100

// Check compares a log with what was sealed.
func (s *Statement) Check(l *Log) []finding.Finding {
	var found []finding.Finding
	add := func(code finding.Code, place finding.Place, format string, args ...any) {
		found = append(found, finding.New(code, finding.Say(format, args...), place))
	}
	nowhere := finding.Place{Seq: -1}
	if l.Refusal != nil {
		found = append(found, finding.FromRefusal(l.Refusal))
	}
	if l.Header == nil {
		return found
	}
	if !isSpelled(l.Header.ID, s.SessionID) {
		add(finding.SealSession, finding.Place{Line: 1, Seq: -1}, "the log is of session %s, the seal of %s", strconv.Quote(l.Header.ID), strconv.Quote(s.SessionID))
		return found
	}
	if headerDigest(l.Header) != s.HeaderSHA256 {
		add(finding.SealHeader, finding.Place{Line: 1, Seq: -1}, "")
	}
	if l.Version != s.FormatVersion {
		add(finding.SealHeader, finding.Place{Line: 1, Seq: -1}, "the log is of format %d, the seal of %d", l.Version, s.FormatVersion)
	}
	n := s.Tree.Events
	if l.tree.size >= n && l.tree.root(n) == s.Tree.Root {
		if err := l.tree.prove(n, s.Tree.Root); err != nil {
			add(finding.SealTree, nowhere, "%v", err)
			return found
		}
		return append(found, s.checkRequests(l)...)
	}
	found = append(found, s.edits(l)...)
	return found
}

// Appended returns how many events the log has after the sealed ones.
func (s *Statement) Appended(l *Log) int64 { return max(0, l.tree.size-s.Tree.Events) }

// edits names the events that are not as they were sealed.
func (s *Statement) edits(l *Log) (found []finding.Finding) {
	sealed := make([]mark, s.Tree.Events)
	for i := range sealed {
		sealed[i] = s.Tree.mark(int64(i))
	}
	edits := align(sealed, l.marks)
	for i, e := range edits {
		if i == most {
			last := &found[len(found)-1]
			last.Count = len(edits) - most
			break
		}
		found = append(found, s.name(l, e, sealed)...)
	}
	if len(found) == 0 {
		block := s.failingBlock(l)
		first, last := block*blockSize, min((block+1)*blockSize, s.Tree.Events)-1
		found = append(found, finding.New(finding.SealTree, finding.Say("inclusion fails for one of the events %d to %d", first, last), l.place(first)))
	}
	return found
}

// failingBlock returns the first subtree that is not the sealed one.
func (s *Statement) failingBlock(l *Log) int64 {
	now := l.tree.blocks(min(l.tree.size, s.Tree.Events))
	for i, hash := range s.Tree.Blocks {
		if i >= len(now) || now[i] != hash {
			return int64(i)
		}
	}
	return 0
}

// name says what happened to the events of an edit.
func (s *Statement) name(l *Log, e edit, sealed []mark) (found []finding.Finding) {
	was, now := e.sealed, e.now
	if was.len() > 0 && was.to == len(sealed) && now.to == len(l.marks) && now.len() < was.len() {
		// The log ends here.
		both := now.len()
		if both > 0 {
			found = append(found, s.finding(l, finding.SealChanged, span{was.from, was.from + both}, now, "inclusion in the sealed tree fails"))
		}
		rest := span{was.from + both, was.to}
		why := fmt.Sprintf("the log ends after %d of the %d sealed events, so it is not consistent with the sealed tree", len(l.marks), len(sealed))
		if l.Refusal != nil {
			why = "the log is refused there"
			return append(found, s.finding(l, finding.SealMissing, span{rest.from, rest.from + 1}, span{}, why))
		}
		return append(found, s.finding(l, finding.SealTruncated, rest, span{}, why))
	}
	if was.len() == now.len() && permuted(sealed[was.from:was.to], l.marks[now.from:now.to]) {
		return []finding.Finding{s.finding(l, finding.SealReordered, was, now, "inclusion at their places in the sealed tree fails")}
	}
	both := min(was.len(), now.len())
	for at := 0; at < both; {
		if sealed[was.from+at] == l.marks[now.from+at] {
			at++
			continue
		}
		end := at + 1
		for end < both && sealed[was.from+end] != l.marks[now.from+end] {
			end++
		}
		found = append(found, s.finding(l, finding.SealChanged, span{was.from + at, was.from + end}, span{now.from + at, now.from + end}, "inclusion in the sealed tree fails"))
		at = end
	}
	if rest := (span{was.from + both, was.to}); rest.len() > 0 {
		found = append(found, s.finding(l, finding.SealRemoved, rest, span{now.to, now.to}, "the log is not consistent with the sealed tree"))
	}
	if rest := (span{now.from + both, now.to}); rest.len() > 0 {
		found = append(found, s.finding(l, finding.SealInserted, rest, rest, "the log is not consistent with the sealed tree"))
	}
	return found
}

// finding names the events seqs, and the type and line of the first that stands in
// their place now.
func (s *Statement) finding(l *Log, code finding.Code, seqs, now span, why string) finding.Finding {
	place := finding.Place{Seq: int64(seqs.from)}
	what := fmt.Sprintf("event %d", seqs.from)
	if seqs.len() > 1 {
		what = fmt.Sprintf("events %d to %d", seqs.from, seqs.to-1)
	}
	if now.len() > 0 {
		place = l.place(int64(now.from))
		place.Seq = int64(seqs.from)
		if seqs.len() == 1 {
			what += " (" + l.types[now.from] + ")"
		}
	}
	return finding.New(code, finding.Say("%s: %s", what, why), place)
}

// object is an attachment's id in a text.
func object(id string) finding.Span { return finding.Span{Kind: finding.AttachmentID, Text: id} }

func permuted(a, b []mark) bool {
	if len(a) < 2 {
		return false
	}
	order := func(x, y mark) int { return slices.Compare(x[:], y[:]) }
	a, b = slices.Clone(a), slices.Clone(b)
	slices.SortFunc(a, order)
	slices.SortFunc(b, order)
	return slices.Equal(a, b)
}

// checkRequests compares the requests that equal events give with the sealed ones.
func (s *Statement) checkRequests(l *Log) (found []finding.Finding) {
	for i, was := range s.Requests {
		place := l.place(was.DispatchSeq)
		place.Request = was.Request
		switch {
		case i >= len(l.requests):
			found = append(found, finding.New(finding.SealRequest, finding.Say("request %s is not rebuilt", was.Request), place))
		case l.requests[i] != was:
			found = append(found, finding.New(finding.SealRequest, finding.Say("request %s was %s and is %s", was.Request, was.SHA256[:min(12, len(was.SHA256))], l.requests[i].SHA256[:12]), place))
		}
	}
	for i := len(s.Requests); i < len(l.requests) && l.requestsAt[i] <= s.Tree.Events; i++ {
		now := l.requests[i]
		place := l.place(now.DispatchSeq)
		place.Request = now.Request
		found = append(found, finding.New(finding.SealRequest, finding.Say("request %s is rebuilt from sealed events and not in the seal", now.Request), place))
	}
	if at := len(s.Objects); at < len(l.objects) && l.objectsAt[at] <= s.Tree.Events {
		id := l.objects[at]
		found = append(found, finding.New(finding.SealRequest, finding.Say("object %s is referenced by sealed events and not in the seal", object(id)), finding.Place{Seq: -1, Object: id}))
	}
	for i, id := range s.Objects {
		if i >= len(l.objects) || l.objects[i] != id {
			found = append(found, finding.New(finding.SealRequest, finding.Say("object %s is not referenced where it was", object(id)), finding.Place{Seq: -1, Object: id}))
			break
		}
	}
	return found
}

// place is where the log holds an event, without a line where it holds none.
func (l *Log) place(seq int64) finding.Place {
	place := finding.Place{Seq: seq}
	if seq >= 0 && seq < int64(len(l.places)) {
		pos := l.places[seq]
		place.Line, place.Offset, place.Frame = pos.Line, pos.Offset, pos.Frame
	}
	return place
}
