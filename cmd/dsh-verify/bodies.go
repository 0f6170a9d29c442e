package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/dsh-verify/dsh-verify/internal/redact"
	"github.com/dsh-verify/dsh-verify/internal/source"
	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
	"github.com/dsh-verify/dsh-verify/reconstruct"
	"github.com/dsh-verify/dsh-verify/reconstruct/wire"
)

// bodies prints requests as they are, or the HTTP bodies made of them.
type bodies struct {
	builder  *wire.Builder    // nil: the requests
	redactor *redact.Redactor // of digests
}

func (c *checker) bodies(log *source.Log) (*bodies, error) {
	if c.wire == nil {
		return &bodies{redactor: c.redact}, nil
	}
	verifier, err := c.Objects(log)
	if err != nil {
		return nil, &statusError{exitUnreadable, cause(err)}
	}
	return &bodies{wire.NewBuilder(c.wire.protocol, c.wire.Policy, verifier), c.redact}, nil
}

func (b *bodies) printBytes(w io.Writer, q *reconstruct.Request) error {
	printKey(w, q)
	if b.builder == nil {
		io.WriteString(w, `,"request":`)
		q.WriteTo(w)
		return endLine(w, q)
	}
	body, err := b.builder.Body(q)
	if err != nil {
		fmt.Fprintf(w, `,"body":null,"reason":%s`, ecmajson.AppendString(nil, err.Error()))
		return endLine(w, q)
	}
	io.WriteString(w, `,"body":`)
	body.WriteTo(w)
	if len(body.Holes) > 0 {
		w.Write(append(holesJSON([]byte(`,"holes":[`), body.Holes), ']'))
	}
	return endLine(w, q)
}

// digestName is the member of a line that holds the digest. A keyed one is another
// thing, and is not called by its name.
func (b *bodies) digestName() string {
	if b.redactor != nil {
		return "hmacSha256"
	}
	return "sha256"
}

func (b *bodies) printDigest(w io.Writer, q *reconstruct.Request) error {
	printKey(w, q)
	known := func(length int64, digest string) error {
		fmt.Fprintf(w, `,"bytes":%d,"%s":"%s"`, length, b.digestName(), b.redactor.Digest(digest))
		return endLine(w, q)
	}
	if b.builder == nil {
		return known(q.Len(), q.Digest().String())
	}
	if length, digest, ok, err := b.builder.Digest(q); err == nil && ok {
		return known(length, fmt.Sprintf("%x", digest))
	}
	body, err := b.builder.Body(q)
	if err == nil && len(body.Holes) == 0 {
		return known(body.Len(), fmt.Sprintf("%x", body.Digest()))
	}
	fmt.Fprintf(w, `,"bytes":null,"%s":null`, b.digestName())
	if err != nil {
		fmt.Fprintf(w, `,"reason":%s`, ecmajson.AppendString(nil, b.reason(err)))
	} else {
		w.Write(append(holesJSON([]byte(`,"holes":[`), b.redacted(body.Holes)), ']'))
	}
	return endLine(w, q)
}

// reason says why there is no body.
func (b *bodies) reason(err error) string {
	if quotes, ok := errors.AsType[*wire.Unsupported](err); ok && b.redactor != nil {
		return (&wire.Unsupported{Reason: quotes.Bare}).Error()
	}
	return err.Error()
}

func (b *bodies) redacted(holes []wire.Hole) []wire.Hole {
	if b.redactor == nil {
		return holes
	}
	out := append([]wire.Hole(nil), holes...)
	for i := range out {
		out[i].Pointer, out[i].AttachmentID = b.redactor.Pointer(out[i].Pointer), b.redactor.Object(out[i].AttachmentID)
	}
	return out
}

func printKey(w io.Writer, q *reconstruct.Request) {
	fmt.Fprintf(w, `{"sessionId":%s,"turn":%d,"step":%d,"attempt":%d`, ecmajson.AppendString(nil, q.SessionID), q.Turn, q.Step, q.Attempt)
}

func endLine(w io.Writer, q *reconstruct.Request) error {
	end := "}\n"
	if q.ShapeSource() == reconstruct.ShapeAssumed {
		end = fmt.Sprintf(`,"shape":%q,"shapeAssumed":true`, q.Shape()) + end
	}
	if q.Prepared {
		end = `,"prepared":true` + end
	}
	_, err := io.WriteString(w, end)
	return err
}
