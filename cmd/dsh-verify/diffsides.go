package main

import (
	"fmt"

	"github.com/dsh-verify/dsh-verify/internal/provenance"
	"github.com/dsh-verify/dsh-verify/internal/traffic"
	"github.com/dsh-verify/dsh-verify/reconstruct/wire"
)

// A side is one of the two texts of a diff.
type side struct {
	name    string
	text    []byte
	account *provenance.Account // nil: it does not come from a log
	body    *wire.Body          // nil: it is no body
}

// sides returns what a diff compares.
func (a *app) sides(o *diffOptions) (old, new *side, err error) {
	log, refs := o.args[0], o.args[1:]
	logs := []string{log}
	if len(refs) == 3 {
		logs = append(logs, refs[1])
	}
	c, err := a.newChecker(&o.checkOptions, logs...)
	if err != nil {
		return nil, nil, err
	}
	outside := o.recorded != "" || o.body != ""
	if outside && len(refs) > 1 {
		return nil, nil, usagef("--recorded and --body take one REQ")
	}
	if o.body == "" && !traffic.Is(o.recorded) {
		if err := o.needWire("--wire deepseek, or captured bodies to compare with", false); err != nil {
			return nil, nil, err
		}
	}
	switch {
	case outside:
		return c.outside(o, log, refs[0])
	case len(refs) == 3:
		return c.two(log, refs[0], refs[1], refs[2])
	case len(refs) == 2:
		return c.two(log, refs[0], log, refs[1])
	}
	picked, err := c.chooseOne(log, refs[0])
	if err != nil {
		return nil, nil, err
	}
	if picked.before == nil {
		return nil, nil, usagef("request %s is the first of its log; name the one to compare it with", picked.request.Key())
	}
	return c.two(log, picked.before.Key(), log, picked.request.Key())
}

// two returns two requests of logs, or their bodies.
func (c *checker) two(oldLog, oldRef, newLog, newRef string) (old, new *side, err error) {
	if old, err = c.side(oldLog, oldRef); err == nil {
		new, err = c.side(newLog, newRef)
	}
	return old, new, err
}

// side is a request of a log, or its body.
func (c *checker) side(arg, ref string) (*side, error) {
	sel, err := parseSelector(ref)
	if err != nil {
		return nil, err
	}
	place, log, err := c.oneLog(arg)
	if err != nil {
		return nil, err
	}
	defer place.Close()
	picked, err := c.choose(log, sel)
	if err != nil {
		return nil, err
	}
	q := picked[0].request
	s := &side{name: fmt.Sprintf("request %s of %s", q.Key(), log.Name), account: picked[0].account}
	if c.wire == nil {
		s.text = q.Bytes()
		return s, nil
	}
	verifier, err := c.Objects(log)
	if err != nil {
		return nil, unreadable(err)
	}
	body, err := wire.NewBuilder(c.wire.protocol, c.wire.Policy, verifier).Body(q)
	if err != nil {
		return nil, quoting(exitUnverifiable, "request "+q.Key()+": ", err)
	}
	s.name = "body of " + s.name
	s.text, s.body = body.Bytes(), body
	return s, nil
}

// cause names the event that a byte comes from.
func (s *side) cause(offset int) string {
	if s.account == nil {
		return ""
	}
	var part provenance.Part
	ok := false
	if s.body == nil {
		part, ok = s.account.AtByte(int64(offset))
	} else if o, found := s.body.OriginAt(int64(offset)); found {
		part, ok = s.account.At(originPointer(o))
	}
	if !ok {
		return ""
	}
	if part.Seq < 0 {
		return "; from the log's header line"
	}
	source := part.Source
	if source == "" {
		source = part.Event
	}
	return fmt.Sprintf("; from seq %d, %s", part.Seq, visible(source))
}

// originPointer is where in the request a body's span comes from.
func originPointer(o wire.Origin) string {
	switch o.Message {
	case wire.FromSystem:
		return "/system"
	case wire.FromTools:
		return "/tools"
	}
	return fmt.Sprintf("/messages/%d", o.Message)
}
