package output

import (
	"github.com/dsh-verify/dsh-verify/internal/redact"
	"github.com/dsh-verify/dsh-verify/internal/result"
)

// Settle makes a report ready to be printed. Redacted, it names no text: where the session
// ran, the digests of requests, and what findings quote are replaced. File names stay.
func Settle(log *result.Log, redactor *redact.Redactor) {
	cwd := log.Session.Cwd
	for i := range log.Findings {
		log.Findings[i].Settle(redactor, cwd)
	}
	if redactor == nil {
		return
	}
	if cwd != "" {
		log.Session.Cwd = redactor.Text(cwd)
	}
	for i := range log.Requests {
		if row := &log.Requests[i]; row.SHA256 != "" {
			row.SHA256, row.HMACSHA256 = "", redactor.Digest(row.SHA256)
		}
	}
	for i := range log.Attachments {
		at := &log.Attachments[i]
		at.ID, at.MediaType = redactor.Object(at.ID), redactor.Word(at.MediaType)
	}
}
