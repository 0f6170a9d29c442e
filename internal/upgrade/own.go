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
	src, err := log.Open()
	if err != nil {
		return err
	}
	defer src.Close()
	r := logformat.NewReader(src, logformat.Options{FileName: log.Name, Again: log.Open})
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
	if later := r.Later(); later != nil {
		return t.place(later)
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
