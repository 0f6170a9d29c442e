package upgrade

import "github.com/dsh-verify/dsh-verify/logformat"

// A pipeline takes the rows of one log through the steps, row by row, as the release does:
// a fault of a later step in an early row comes before one of an earlier step in a late row.
type pipeline struct {
	verdict *Verdict
	decoder decoder
	header  Header // of the source
	cut     int64  // events that formats 0 and 1 say were inherited
	lost    losses
	step01  *step01
	step12  *step12
	step23  *step23
	step34  *step34
	first   func(*Event) *Refusal
	result  Transcript
}

func newPipeline(v *Verdict, header Header, cut, into int64, children []Child) *pipeline {
	p := &pipeline{verdict: v, header: header, cut: cut, decoder: decoder{version: header.Version, cut: -1}}
	if header.Version == 3 {
		p.decoder.strict = admitRow3
		p.decoder.check = func(e *Event) *Refusal { return check3(e, StageRows) }
	}
	p.result.Header = header
	p.result.Header.Version = into
	if header.Version < 3 && into >= 3 && header.AgentPreset.Is("code") {
		p.result.Header.AgentPreset = codePreset
	}
	p.build(into, children)
	return p
}

// build puts the steps together, the last one first.
func (p *pipeline) build(into int64, children []Child) {
	next := func(e *Event) *Refusal {
		p.result.Events = append(p.result.Events, e)
		return nil
	}
	from, inserted := p.header.Version, &p.verdict.Inserted
	if from <= 3 && into >= 4 {
		p.step34 = newStep34(p.header, -1, children, &p.lost, inserted, next)
		next = p.step34.event
	}
	if from <= 2 && into >= 3 {
		p.step23 = newStep23(p.header, -1, &p.lost, inserted, next)
		next = p.step23.event
	}
	if from <= 1 {
		p.step12 = newStep12(p.header, p.cut, from == 1, &p.lost, inserted, next)
		next = p.step12.event
	}
	if from == 0 {
		p.step01 = newStep01(p.header, p.cut, &p.lost)
		after := next
		next = func(e *Event) *Refusal { return p.step01.event(e, after) }
	}
	p.first = next
}

func (p *pipeline) line(line logformat.RawLine) *Refusal {
	r, refusal := p.decoder.decode(line)
	switch {
	case refusal != nil:
		return refusal
	case r.event != nil:
		return p.first(r.event)
	case r.run != nil:
		return p.step12.packed(r.run)
	}
	return nil
}

// finish ends the steps in turn, and returns the log that they made.
func (p *pipeline) finish() (*Transcript, *Refusal) {
	if refusal := p.checkCut(); refusal != nil {
		return nil, refusal
	}
	if d := &p.decoder; d.dropped > 0 {
		p.lost.add(LossTail, "", d.tail)
		p.lost.all[len(p.lost.all)-1].Count = d.dropped
	}
	cut := max(p.decoder.cut, 0)
	var refusal *Refusal
	if p.step12 != nil {
		if cut, refusal = p.step12.finish(); refusal != nil {
			return nil, refusal
		}
	}
	if p.step23 != nil {
		if cut, refusal = p.step23.finish(); refusal != nil {
			return nil, refusal
		}
	}
	if p.step34 != nil {
		if cut, refusal = p.step34.finish(); refusal != nil {
			return nil, refusal
		}
	}
	p.result.Cut = cut
	p.verdict.Events, p.verdict.Losses = int(p.decoder.next), p.lost.all
	return &p.result, nil
}

// checkCut compares what the header says was inherited with the rows.
func (p *pipeline) checkCut() *Refusal {
	if p.header.Version < 2 {
		if p.cut > p.decoder.next {
			return headerFault(logformat.CodeSeedLength, "seedLength", "the session inherited more events than its log holds")
		}
		return nil
	}
	if p.header.Seeded != (p.decoder.cut >= 0) {
		return refuse(logformat.CodeSeedMarker, StageRows, "the session is seeded exactly when its log has the mark of what it inherited")
	}
	return nil
}
