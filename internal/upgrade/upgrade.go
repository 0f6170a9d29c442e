package upgrade

import (
	"errors"
	"io"

	"github.com/dsh-verify/dsh-verify/logformat"
)

// A Log is what a release is asked about.
type Log struct {
	// Name is the name of the log's file, which says its format. Where it is none that the
	// harness gives, the header line says it.
	Name string
	// Open opens the log at its start, with the name of its file among the options. It is
	// called once for each reading.
	Open func() (*logformat.Reader, io.Closer, error)
	// Children are the subagents whose logs name this session as their parent. A release
	// that writes format 4 adds those that the catalog lacks.
	Children []Child
}

// File returns the log in a file. open opens it at its start.
func File(name string, open func() (io.ReadCloser, error)) Log {
	return Log{Name: name, Open: func() (*logformat.Reader, io.Closer, error) {
		src, err := open()
		if err != nil {
			return nil, nil, err
		}
		return logformat.NewReader(src, logformat.Options{FileName: name, Again: open}), src, nil
	}}
}

// format returns the format of the log, or why that cannot be told.
func (log *Log) format() (int64, *Refusal, error) {
	if format, _, ok := logformat.ParseFileName(log.Name); ok {
		return format, nil, nil
	}
	r, closer, err := log.Open()
	if err != nil {
		return 0, nil, err
	}
	defer closer.Close()
	header, err := r.Header()
	if refused, ok := errors.AsType[*logformat.Refusal](err); ok {
		return 0, native(refused, StageHeader), nil
	}
	if header == nil {
		return 0, nil, err
	}
	return numberOf(header.Version), nil, nil
}

// numberOf returns the number of a format, which the names of its files state.
func numberOf(v *logformat.Version) int64 {
	number, _, _ := logformat.ParseFileName(v.FileName(false))
	return number
}

// Check says what a release does with a log. The error is a failure to read.
func Check(release *Release, log Log) (*Verdict, error) {
	format, refusal, err := log.format()
	v := &Verdict{Release: release.Name, From: format, Into: release.Writes, Refusal: refusal}
	switch {
	case err != nil:
		return nil, err
	case refusal != nil:
		return v, nil
	case format > release.Writes:
		v.Refusal = headerFault(CodeNewer, "version", "the log's format is newer than the one that the release writes")
		return v, nil
	case format == release.Writes:
		v.Own = true
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
		v.Refusal, v.Losses, v.Inserted = refusal, nil, 0
		return v, nil
	}
	v.Reads, v.Result = true, result
	v.Refusal = publish(result)
	v.Publishes = v.Refusal == nil
	return v, nil
}

// run reads the rows and takes them through the steps up to a format.
func (v *Verdict) run(into int64, log Log) (*Transcript, *Refusal, error) {
	r, closer, err := log.Open()
	if err != nil {
		return nil, nil, err
	}
	defer closer.Close()
	if r.Encoding() == logformat.SQLite {
		return nil, refuse(CodeStore, StageHeader, "the log lies in a SQLite store, and the release has none"), nil
	}
	var p *pipeline
	var refusal *Refusal
	for line, err := range r.Lines() {
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
	refusal = refuse(r.Code, StageRows, r.Code.Info().Meaning)
	refusal.Line = max(r.Pos.Line, 1)
	return refusal, r.Code == logformat.CodeZstdMagic || r.Code == logformat.CodeZstdReserved, true
}
