package main

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/dsh-verify/dsh-verify/internal/protocol"
	"github.com/dsh-verify/dsh-verify/internal/provenance"
	"github.com/dsh-verify/dsh-verify/internal/regular"
	"github.com/dsh-verify/dsh-verify/internal/requestlog"
	"github.com/dsh-verify/dsh-verify/internal/traffic"
	"github.com/dsh-verify/dsh-verify/reconstruct/wire"
)

// outside compares a request with what a file holds.
func (c *checker) outside(o *diffOptions, arg, ref string) (old, new *side, err error) {
	switch {
	case o.body != "":
		old, new, err = c.withBody(o, arg, ref)
	case traffic.Is(o.recorded):
		return c.captured(arg, ref)
	default:
		old, new, err = c.withRecorded(arg, ref)
	}
	if err != nil {
		return nil, nil, err
	}
	if old.body != nil && len(old.body.Holes) > 0 && old.body.Match(new.text) == nil {
		old.text = new.text // equal except for what cannot be known
		old.name += fmt.Sprintf(" (%d places are the provider's or the cache's and were taken from the capture)", len(old.body.Holes))
	}
	return old, new, nil
}

// maxOutside bounds a body file.
const maxOutside = 1 << 30

// withBody compares with the file of --body, which is a request or an HTTP body.
func (c *checker) withBody(o *diffOptions, arg, ref string) (old, new *side, err error) {
	new = &side{name: o.body}
	if new.text, err = readLimited(o.body, maxOutside); err != nil {
		return nil, nil, unreadable(err)
	}
	if p := protocol.Of(new.text); c.wire == nil && p != nil {
		c.wire = c.setup.wire
		c.wire.protocol = p
	}
	if c.wire == nil {
		if err := o.needWire("a --body that is one: "+o.body+" holds a request", false); err != nil {
			return nil, nil, err
		}
		old, err = c.side(arg, ref)
		return old, new, err
	}
	cut(c.wire.protocol, new)
	old, _, err = c.closest(arg, ref, new.text)
	return old, new, err
}

// withRecorded compares with the request in the recording of --recorded.
func (c *checker) withRecorded(arg, ref string) (old, new *side, err error) {
	if old, err = c.side(arg, ref); err != nil {
		return nil, nil, err
	}
	new = &side{name: fmt.Sprintf("request %s of %s", old.account.Request, c.Recorded)}
	new.text, err = recordedRequest(c.Recorded, old.account, old.text)
	return old, new, err
}

// captured compares a request's body with the one of a capture that is its own, or
// that comes closest to it.
func (c *checker) captured(arg, ref string) (old, new *side, err error) {
	path, settings := c.Recorded, *c.setup.wire
	c.wire = &settings
	file, err := traffic.Open(path)
	if err != nil {
		return nil, nil, unreadable(err)
	}
	best := int64(-1)
	for _, b := range file.Bodies {
		text, err := b.Bytes()
		if err != nil || b.Incomparable != "" || b.Compact {
			continue
		}
		posted := &side{name: b.Name + " of " + path, text: text}
		cut(c.wire.protocol, posted)
		s, d, err := c.closest(arg, ref, posted.text)
		if err != nil {
			return nil, nil, err
		}
		if b.SessionID != "" && b.SessionID != s.account.SessionID || d != nil && d.Capture <= best {
			continue
		}
		old, new = s, posted
		if d == nil {
			old.text = posted.text // equal, except for what cannot be known
			return old, new, nil
		}
		best = d.Capture
	}
	if old == nil {
		return nil, nil, usagef("%s holds no body of this session that can be compared", path)
	}
	return old, new, nil
}

// closest returns the body of a request under the settings that explain most of what
// was captured, and where the two differ.
func (c *checker) closest(arg, ref string, captured []byte) (best *side, at *wire.Difference, err error) {
	given := *c.wire
	defer func() { *c.wire = given }()
	for _, policy := range append([]wire.Policy{given.Policy}, given.protocol.Infer(given.Policy, given.fixed, captured)...) {
		c.wire.Policy = policy
		s, err := c.side(arg, ref)
		if err != nil {
			if best == nil {
				return nil, nil, err
			}
			continue // not a body under these settings
		}
		d := s.body.Match(captured)
		if best == nil || d == nil || d.Capture > at.Capture {
			best, at = s, d
		}
		if d == nil {
			break
		}
	}
	return best, at, nil
}

// cut leaves out the members that something appended to a captured body.
func cut(p wire.Protocol, s *side) {
	var extra wire.Extensions
	if s.text, extra = wire.CutExtensions(p, s.text); len(extra.Members) > 0 {
		s.name += fmt.Sprintf(" without %s after its last", plural(len(extra.Members), "member"))
	}
}

func readLimited(path string, limit int64) ([]byte, error) {
	text, err := regular.ReadFile(path, limit)
	return []byte(strings.TrimSuffix(string(text), "\n")), err
}

// recordedRequest returns what a file recorded of a request: of several entries the
// one with the bytes that are wanted, else the last.
func recordedRequest(path string, account *provenance.Account, want []byte) ([]byte, error) {
	file, err := requestlog.Open(path)
	if err != nil {
		return nil, unreadable(err)
	}
	defer file.Close()
	var found []byte
	for _, e := range file.Entries {
		if file.Settle(e) != "" || e.SessionID != account.SessionID || e.Key() != account.Request {
			continue
		}
		if found, err = file.Bytes(e); err != nil {
			return nil, unreadable(err)
		}
		if bytes.Equal(found, want) {
			break
		}
	}
	if found == nil {
		return nil, usagef("%s holds no request %s of session %s", path, account.Request, account.SessionID)
	}
	return found, nil
}
