package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/dsh-verify/dsh-verify/internal/output"
	"github.com/dsh-verify/dsh-verify/internal/source"
	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
	"github.com/dsh-verify/dsh-verify/reconstruct"
	"github.com/dsh-verify/dsh-verify/reconstruct/wire"
)

// eachOneshot reads a log and passes on the requests outside the loop. They are
// valid for the call.
func eachOneshot(log *source.Log, opts logformat.Options, do func(*reconstruct.Oneshot)) error {
	reader, closer, err := log.Open(opts)
	if err != nil {
		return refused(log, err)
	}
	defer closer.Close()
	header, err := reader.Header()
	if err != nil {
		return refused(log, err)
	}
	session := reconstruct.NewSession(header, reconstruct.Options{Oneshot: do})
	for _, err := range session.Requests(reader) {
		if err != nil {
			return refused(log, err)
		}
	}
	if err := closer.Close(); errors.Is(err, source.ErrMoved) {
		return &statusError{exitUnreadable, log.Name + ": " + err.Error()}
	}
	return nil
}

// listOneshots prints a log's one-shots, when its end shows that it is sound.
func (c *checker) listOneshots(l *listing, log *source.Log) error {
	var held bytes.Buffer
	table := tabwriter.NewWriter(&held, 0, 0, 2, ' ', 0)
	if !l.jsonl {
		fmt.Fprintf(table, "ONE-SHOT\tSEQ\tMODEL\tMESSAGES\tBYTES\t%s\tNOT IN THE LOG\n", output.DigestHeading(c.redact != nil))
	}
	err := eachOneshot(log, c.Read, func(o *reconstruct.Oneshot) {
		if l.jsonl {
			printOneshotLine(&held, o)
			return
		}
		size, digest, hole := "-", "-", "-"
		if text := o.Append(nil, nil); o.Hole() == "" {
			size, digest = strconv.Itoa(len(text)), c.redact.Digest(fmt.Sprintf("%x", sha256.Sum256(text)))[:12]
		} else if hole = o.Hole(); o.Known() {
			size = strconv.Itoa(len(text)) + "+"
		}
		fmt.Fprintf(table, "%s\t%d\t%s\t%d\t%s\t%s\t%s\n", o.Key(), o.Seq, visible(o.Model.Text()), o.Count(), size, digest, hole)
	})
	if err != nil {
		return err
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if l.jsonl {
		_, err = held.WriteTo(c.app.exact(l.raw))
		return err
	}
	io.WriteString(c.app.stdout, l.heading)
	_, err = held.WriteTo(c.app.stdout)
	return err
}

// instructionHole stands where a compaction's last message would.
const instructionHole = `{"role":"user","content":[{"type":"text","text":"?final-instruction?"}]}`

func printOneshotLine(w io.Writer, o *reconstruct.Oneshot) {
	fmt.Fprintf(w, `{"sessionId":%s,"oneshot":"%s","seq":%d,"request":`, ecmajson.AppendString(nil, o.SessionID), o.Key(), o.Seq)
	if o.Known() {
		w.Write(o.Append(nil, ecmajson.Value(instructionHole)))
	} else {
		io.WriteString(w, "null")
	}
	if hole := o.Hole(); hole != "" {
		fmt.Fprintf(w, `,"holes":[{"pointer":"%s","reason":"%s"}]`, o.HolePointer(), hole)
	}
	io.WriteString(w, "}\n")
}

// oneshotKey reports whether a selector names a one-shot, as "compaction:2".
func oneshotKey(ref string) bool {
	kind, _, ok := strings.Cut(ref, ":")
	if !ok {
		return false
	}
	switch reconstruct.OneshotKind(kind) {
	case reconstruct.CompactionOneshot, reconstruct.TitleOneshot, reconstruct.SearchOneshot:
		return true
	}
	return false
}

// showOneshot prints one one-shot; what the log does not hold of it is named on
// standard error.
func (c *checker) showOneshot(o *showOptions, log *source.Log, ref string) error {
	if o.messages || o.header || o.curl {
		return usagef("one-shots are shown as they are, with --pretty, or with --wire")
	}
	var text []byte
	var hole string
	known, total := false, 0
	err := eachOneshot(log, c.Read, func(one *reconstruct.Oneshot) {
		total++
		if one.Key() != ref {
			return
		}
		known = one.Known()
		text, hole = one.Append(nil, ecmajson.Value(instructionHole)), one.Hole()
		if one.Missing > 0 {
			hole += fmt.Sprintf("; and %d of the events that its record names are not on the surface", one.Missing)
		}
	})
	switch {
	case err != nil:
		return err
	case text == nil:
		return usagef("%s has no one-shot %s: the log tells of %d (see 'dsh-verify requests --oneshots')", log.Name, ref, total)
	case !known:
		return &statusError{exitUnverifiable, ref + ": the log names this request and does not describe it"}
	}
	if c.wire != nil {
		canonical, _, err := ecmajson.Canonical(text)
		if err != nil {
			return &statusError{exitUnverifiable, ref + ": " + err.Error()}
		}
		body, err := wire.NewBuilder(c.wire.protocol, c.wire.Policy, nil).Body(wire.JSON(canonical))
		if err != nil {
			return quoting(exitUnverifiable, ref+": ", err)
		}
		text = body.Bytes()
	}
	if hole != "" {
		fmt.Fprintf(c.app.stderr, "%s: not in the log: %s\n", ref, hole)
	}
	if o.pretty {
		return printPretty(c.app.stdout, text, c.redact)
	}
	_, err = c.app.exact(o.raw).Write(text)
	return err
}
