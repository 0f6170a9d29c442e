package compare

import "github.com/dsh-verify/dsh-verify/internal/requestlog"

// readWhole reads an entry whole that no request equals: only then it is known whose it
// is. It reports whether the entry is still one of this session under its number.
func (c *Check) readWhole(e *requestlog.Entry) bool {
	key, own := e.Key(), e.SessionID == c.log.Session.ID
	reason := c.file.Settle(e)
	switch {
	case reason != "":
		c.file.Bad = append(c.file.Bad, requestlog.Malformed{Line: e.Line, Reason: reason})
		c.leave(e, own)
	case e.SessionID != c.log.Session.ID:
		c.foreign++
		c.leave(e, own)
	case own && e.Key() == key:
		return true
	default:
		c.byKey[e.Key()] = append(c.byKey[e.Key()], e)
		if !own {
			c.own++
		}
	}
	return false
}

// leave takes an entry out of the comparison.
func (c *Check) leave(e *requestlog.Entry, own bool) {
	c.gone[e] = true
	if own {
		c.own--
	}
}
