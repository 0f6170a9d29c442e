package upgrade

import (
	"bytes"
	"errors"
	"io"
	"slices"

	"github.com/dsh-verify/dsh-verify/logformat"
)

// readOwn says what a release does with a log of the format that it writes: what the reader of
// that format does. Nothing has to be published then.
func (v *Verdict) readOwn(release *Release, log Log) error {
	r, closer, err := log.Open()
	if err != nil {
		return err
	}
	defer closer.Close()
	defer r.Close()
	var unborn *Refusal
	for record, err := range r.Records() {
		if refused, ok := errors.AsType[*logformat.Refusal](err); ok {
			v.Refusal = native(refused, StageOwn)
			return nil
		}
		if err != nil {
			return err
		}
		if e := record.Event; e != nil && unborn == nil && slices.Contains(release.unborn, e.Type) && !e.Ignorable {
			unborn = refuse(CodeLaterName, StageOwn, "the release does not know the event's type yet: "+e.Type).at(Origin{Line: e.Pos.Line, Seq: e.Seq})
		}
	}
	if unborn != nil {
		v.Refusal = unborn
		return nil
	}
	v.Reads, v.Publishes, v.Events = true, true, int(r.Stats().Events)
	if tail := r.Tail(); tail != nil {
		v.Losses = []Loss{{Kind: LossTail, First: Origin{Line: tail.Pos.Line, Seq: r.Stats().Events}, Count: 1}}
	}
	return nil
}

// native returns the refusal of a format's own reader as one of this package.
func native(r *logformat.Refusal, stage Stage) *Refusal {
	refusal := refuse(r.Code, stage, r.Code.Info().Meaning)
	refusal.Found = r.Detail
	return refusal.at(Origin{Line: r.Pos.Line, Seq: r.Seq})
}

// verify reads an upgraded log as its new format does, with all rules across rows: a release
// looks at them in what it upgrades even where it does not in logs of its own.
func verify(t *Transcript) *Refusal {
	text := t.AppendText(nil)
	open := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil }
	r := logformat.NewReader(bytes.NewReader(text), logformat.Options{FileName: logformat.FileName(t.Header.Version, false), Again: open})
	for _, err := range r.Records() {
		if refused, ok := errors.AsType[*logformat.Refusal](err); ok {
			return t.place(refused)
		}
		if err != nil {
			return refuse(logformat.CodeDataShape, StageResult, err.Error())
		}
	}
	restart := t.restart()
	if later := r.Later(); later != nil && (restart == nil || int(later.Pos.Line)-2 < int(restart.Seq)) {
		return t.place(later)
	}
	if restart == nil {
		return nil
	}
	return refuse(logformat.CodeTurnStart, StageResult, logformat.CodeTurnStart.Info().Meaning).found(restart.Data.Get("turn")).at(restart.Origin)
}

// restart returns the first start of a turn inside another one, nil for none. The step from
// format 3 to 4 ends the open turn where a splice into the next one stands before; a release
// that stops at format 3 refuses it.
func (t *Transcript) restart() *Event {
	open := false
	for _, e := range t.Events {
		switch e.Type {
		case logformat.TypeTurnStart:
			if open {
				return e
			}
			open = true
		case logformat.TypeTurnEnd:
			open = false
		}
	}
	return nil
}

// place returns the refusal of an upgraded row at the row of the source that it comes from.
func (t *Transcript) place(r *logformat.Refusal) *Refusal {
	refusal := native(r, StageResult)
	refusal.Origin = Origin{Seq: -1}
	if at := int(r.Pos.Line) - 2; at >= 0 && at < len(t.Events) {
		refusal.Origin = t.Events[at].Origin
	}
	return refusal
}
