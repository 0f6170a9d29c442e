package main

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/dsh-verify/dsh-verify/diffview"
	"github.com/dsh-verify/dsh-verify/internal/protocol"
	"github.com/dsh-verify/dsh-verify/internal/provenance"
	"github.com/dsh-verify/dsh-verify/internal/regular"
	"github.com/dsh-verify/dsh-verify/internal/requestlog"
	"github.com/dsh-verify/dsh-verify/internal/traffic"
	"github.com/dsh-verify/dsh-verify/reconstruct/wire"
)

func diffCommand(a *app) *cli.Command {
	return &cli.Command{
		Name:      "diff",
		Usage:     "compare a request with another one, a recording or a body",
		ArgsUsage: "LOG REQ [REQ2 | LOG2 REQ2]",
		Description: `Without REQ2, compares a request with the one that was sent before it. The first line
says where they part and which event that place comes from; what follows shows it.
Exits 1 when they differ.

Examples:
  dsh-verify diff session.jsonl.zstd 9
  dsh-verify diff session.jsonl 3.1 3.2
  dsh-verify diff old.jsonl 5 new.jsonl 5
  dsh-verify diff --recorded requests.jsonl session.jsonl 5
  dsh-verify diff --body captured.json session.jsonl 5`,
		Flags: append(append(append(logFlags(), wireFlags()...), redactFlags()...),
			&cli.StringFlag{Name: "recorded", Usage: "compare with the request in the recording `FILE`"},
			&cli.StringFlag{Name: "body", Usage: "compare with the bytes of `FILE`: a request, or an HTTP body"},
			wireFlag(),
			&cli.StringFlag{Name: "attachments", Usage: "the attachments/v1 folder `DIR` that holds the objects, for bodies"},
			colorFlag(),
		),
		Action: func(_ context.Context, cmd *cli.Command) error { return a.diff(cmd) },
	}
}

// A side is one of the two texts of a diff.
type side struct {
	name    string
	text    []byte
	account *provenance.Account // nil: it does not come from a log
	body    *wire.Body          // nil: it is no body
}

func (a *app) diff(cmd *cli.Command) error {
	arg, refs, err := requestArgs(cmd, 1, 3)
	if err != nil {
		return err
	}
	redactor, err := a.redactor(cmd)
	if err != nil {
		return err
	}
	style, err := a.colour(cmd)
	if err != nil {
		return err
	}
	old, new, err := a.sides(cmd, arg, refs)
	if err != nil {
		return err
	}
	d := diffview.Compare(old.text, new.text)
	fmt.Fprintf(a.stdout, "- %s\n+ %s\n", visible(old.name), visible(new.name))
	if d.Level == diffview.Equal {
		fmt.Fprintln(a.stdout, "equal")
		return nil
	}
	p := diffview.Printer{Colour: style}
	if redactor != nil {
		p.Redact, p.Path = redactor.Text, redactor.Pointer
	}
	fmt.Fprintf(a.stdout, "%s%s\nlevel: %s\n", p.Headline(d), old.cause(d.Offset), d.Level)
	p.Changes(a.stdout, d, "")
	return &statusError{code: exitDrift}
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

func (a *app) sides(cmd *cli.Command, arg string, refs []string) (old, new *side, err error) {
	c, err := a.newChecker(cmd)
	if err != nil {
		return nil, nil, err
	}
	outside := cmd.String("recorded") != "" || cmd.String("body") != ""
	if outside && len(refs) > 1 {
		return nil, nil, usagef("--recorded and --body take one REQ")
	}
	if cmd.String("recorded") != "" && cmd.String("body") != "" {
		return nil, nil, usagef("--recorded and --body exclude each other")
	}
	if cmd.String("body") == "" && !traffic.Is(cmd.String("recorded")) {
		if err := needWire(cmd, "--wire deepseek, or captured bodies to compare with"); err != nil {
			return nil, nil, err
		}
	}
	switch {
	case outside:
		return a.outside(cmd, c, arg, refs[0])
	case len(refs) == 3:
		if old, err = c.side(cmd, arg, refs[0]); err == nil {
			new, err = c.side(cmd, refs[1], refs[2])
		}
		return old, new, err
	case len(refs) == 2:
		if old, err = c.side(cmd, arg, refs[0]); err == nil {
			new, err = c.side(cmd, arg, refs[1])
		}
		return old, new, err
	}
	picked, err := a.chooseOne(cmd, arg, refs[0])
	if err != nil {
		return nil, nil, err
	}
	if picked.before == nil {
		return nil, nil, usagef("request %s is the first of its log; name the one to compare it with", picked.request.Key())
	}
	if old, err = c.side(cmd, arg, picked.before.Key()); err == nil {
		new, err = c.side(cmd, arg, picked.request.Key())
	}
	return old, new, err
}

// side is a request of a log, or its body.
func (c *checker) side(cmd *cli.Command, arg, ref string) (*side, error) {
	sel, err := parseSelector(ref)
	if err != nil {
		return nil, err
	}
	place, log, err := c.oneLog(cmd, arg)
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
		return nil, &statusError{exitUnreadable, cause(err)}
	}
	body, err := wire.NewBuilder(c.wire.protocol, c.wire.Policy, verifier).Body(q)
	if err != nil {
		return nil, quoting(exitUnverifiable, "request "+q.Key()+": ", err)
	}
	s.name = "body of " + s.name
	s.text, s.body = body.Bytes(), body
	return s, nil
}

// maxOutside bounds a body file.
const maxOutside = 1 << 30

// outside compares a request with what a file holds.
func (a *app) outside(cmd *cli.Command, c *checker, arg, ref string) (old, new *side, err error) {
	new = &side{}
	if path := cmd.String("recorded"); path != "" && traffic.Is(path) {
		return c.captured(cmd, path, arg, ref)
	}
	if path := cmd.String("body"); path != "" {
		if new.text, err = readLimited(path, maxOutside); err != nil {
			return nil, nil, &statusError{exitUnreadable, cause(err)}
		}
		new.name = path
		if p := protocol.Of(new.text); c.wire == nil && p != nil {
			c.wire = c.setup.wire
			c.wire.protocol = p
		}
		if c.wire == nil {
			if err := needWire(cmd, "a --body that is one: "+path+" holds a request"); err != nil {
				return nil, nil, err
			}
		}
	}
	if c.wire != nil && new.text != nil {
		cut(c.wire.protocol, new)
		old, _, err = c.closest(cmd, arg, ref, new.text)
	} else {
		old, err = c.side(cmd, arg, ref)
	}
	if err != nil {
		return nil, nil, err
	}
	if path := cmd.String("recorded"); path != "" {
		if new.text, err = recordedRequest(path, old.account, old.text); err != nil {
			return nil, nil, err
		}
		new.name = fmt.Sprintf("request %s of %s", old.account.Request, path)
	}
	if old.body != nil && len(old.body.Holes) > 0 && old.body.Match(new.text) == nil {
		old.text = new.text // equal except for what cannot be known
		old.name += fmt.Sprintf(" (%d places are the provider's or the cache's and were taken from the capture)", len(old.body.Holes))
	}
	return old, new, nil
}

// captured compares a request's body with the one of a capture that is its own, or
// that comes closest to it.
func (c *checker) captured(cmd *cli.Command, path, arg, ref string) (old, new *side, err error) {
	settings := *c.setup.wire
	c.wire = &settings
	file, err := traffic.Open(path)
	if err != nil {
		return nil, nil, &statusError{exitUnreadable, cause(err)}
	}
	best := int64(-1)
	for _, b := range file.Bodies {
		text, err := b.Bytes()
		if err != nil || b.Incomparable != "" || b.Compact {
			continue
		}
		posted := &side{name: b.Name + " of " + path, text: text}
		cut(c.wire.protocol, posted)
		s, d, err := c.closest(cmd, arg, ref, posted.text)
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
func (c *checker) closest(cmd *cli.Command, arg, ref string, captured []byte) (best *side, at *wire.Difference, err error) {
	given := *c.wire
	defer func() { *c.wire = given }()
	for _, policy := range append([]wire.Policy{given.Policy}, given.protocol.Infer(given.Policy, given.fixed, captured)...) {
		c.wire.Policy = policy
		s, err := c.side(cmd, arg, ref)
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
		return nil, &statusError{exitUnreadable, cause(err)}
	}
	defer file.Close()
	var found []byte
	for _, e := range file.Entries {
		if file.Settle(e) != "" || e.SessionID != account.SessionID || e.Key() != account.Request {
			continue
		}
		if found, err = file.Bytes(e); err != nil {
			return nil, &statusError{exitUnreadable, cause(err)}
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
