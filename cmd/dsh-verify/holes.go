package main

import (
	"strconv"

	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
	"github.com/dsh-verify/dsh-verify/reconstruct/wire"
)

func holesJSON(dst []byte, holes []wire.Hole) []byte {
	for i, h := range holes {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, `{"kind":`...)
		dst = strconv.AppendQuote(dst, string(h.Kind))
		dst = append(dst, `,"pointer":`...)
		dst = ecmajson.AppendString(dst, h.Pointer)
		dst = append(dst, `,"attachmentId":`...)
		dst = ecmajson.AppendString(dst, h.AttachmentID)
		dst = append(dst, `,"reason":`...)
		dst = ecmajson.AppendString(dst, h.Reason)
		dst = append(dst, '}')
	}
	return dst
}

// describeHole names a hole for a person.
func describeHole(h wire.Hole) string {
	s := string(h.Kind) + " at " + h.Pointer
	if h.AttachmentID != "" {
		s += " of " + h.AttachmentID
	}
	return s + ": " + h.Reason
}
