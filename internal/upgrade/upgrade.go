package upgrade

import (
	"errors"
	"io"

	"github.com/dsh-verify/dsh-verify/logformat"
)

// A Log is what a release is asked about.
type Log struct {
	// Name is the name of the log's file, which says its format and how it is stored.
	Name string
	// Open opens the file at its start. It is called once for each reading.
	Open func() (io.ReadCloser, error)
	// Children are the subagents whose logs name this session as their parent. A release
	// that writes format 4 adds those that the catalog lacks.
	Children []Child
}

// ErrName is returned for a file that the harness gives no such name.
var ErrName = errors.New("no release gives a log this name")

// Check says what a release does with a log. The error is [ErrName] or a failure to read.
func Check(release *Release, log Log) (*Verdict, error) {
	format, _, ok := logformat.ParseFileName(log.Name)
	if !ok {
		return nil, ErrName
	}
	v := &Verdict{Release: release.Name, From: format, Into: release.Writes}
	switch {
	case format > release.Writes:
		v.Refusal = headerFault(CodeNewer, "version", "the log's format is newer than the one that the release writes")
		return v, nil
	case format == release.Writes:
		return v, v.readOwn(release, log)
	}
	result, refusal, err := v.run(release.Writes, log)
	if err != nil {
		return nil, err
	}
	if refusal == nil {
		refusal = verify(result)
	}
	if refusal != nil {
		v.Refusal, v.Losses = refusal, nil
		return v, nil
	}
	v.Reads, v.Result = true, result
	v.Refusal = publish(result)
	v.Publishes = v.Refusal == nil
	return v, nil
}

// run reads the rows and takes them through the steps up to a format.
func (v *Verdict) run(into int64, log Log) (*Transcript, *Refusal, error) {
	src, err := log.Open()
	if err != nil {
		return nil, nil, err
	}
	defer src.Close()
	var p *pipeline
	var refusal *Refusal
	for line, err := range logformat.Lines(src, logformat.Options{FileName: log.Name}) {
		if err != nil {
			found, structural, damaged := damage(err)
			if !damaged {
				return nil, nil, err
			}
			if refusal == nil || structural {
				refusal = found
			}
			break
		}
		switch {
		case refusal != nil: // the frames are looked at to the end before any row is
		case p != nil:
			refusal = p.line(line)
		default:
			p, refusal = v.begin(into, log, line)
		}
	}
	switch {
	case refusal != nil:
		return nil, refusal, nil
	case p == nil:
		return nil, headerFault(logformat.CodeHeaderNotJSON, "", "the log has no whole first line"), nil
	}
	result, refusal := p.finish()
	return result, refusal, nil
}

func (v *Verdict) begin(into int64, log Log, line logformat.RawLine) (*pipeline, *Refusal) {
	header, cut, refusal := readHeader(line.Text, v.From)
	if refusal != nil {
		return nil, refusal
	}
	return newPipeline(v, *header, cut, into, log.Children), nil
}

// damage returns the refusal for a file that is damaged as such. Damage to the structure of
// frames is found before any frame is decoded.
func damage(err error) (refusal *Refusal, structural, ok bool) {
	r, ok := errors.AsType[*logformat.Refusal](err)
	if !ok {
		return nil, false, false
	}
	refusal = refuse(r.Code, StageRows, logformat.CodeInfo(r.Code.Info()).Meaning)
	refusal.Line = max(r.Pos.Line, 1)
	return refusal, r.Code == logformat.CodeZstdMagic || r.Code == logformat.CodeZstdReserved, true
}
