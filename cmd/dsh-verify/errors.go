package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/source"
	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/reconstruct/wire"
)

// A statusError ends the run with a code and at most one line on standard error.
type statusError struct {
	code    int
	message string
}

func (e *statusError) Error() string { return e.message }

// A quotingError is a status whose message quotes a log.
type quotingError struct {
	statusError
	redacted string // the message without what it quotes
}

func (e *quotingError) Unwrap() error { return &e.statusError }

// usagef is the error of a wrong command line.
func usagef(format string, args ...any) error {
	return &statusError{exitUsage, fmt.Sprintf(format, args...)}
}

// unreadable is the error of what could not be read or written.
func unreadable(err error) error { return &statusError{exitUnreadable, cause(err)} }

// quoting is the error that a command ends with because of one that may quote the
// log.
func quoting(code int, what string, err error) error {
	if quotes, ok := errors.AsType[*wire.Unsupported](err); ok {
		bare := &wire.Unsupported{Reason: quotes.Bare}
		return &quotingError{statusError{code, what + err.Error()}, what + bare.Error()}
	}
	return &statusError{code, what + err.Error()}
}

// refused names the log in what ended its reading.
func refused(log *source.Log, err error) error {
	if refusal, ok := errors.AsType[*logformat.Refusal](err); ok {
		return refusedBy(log.Name, refusal)
	}
	reason := cause(err)
	if !strings.HasPrefix(reason, log.Name+": ") {
		reason = log.Name + ": " + reason
	}
	return &statusError{exitUnreadable, reason}
}

// refusedBy is the error of a refused log or container.
func refusedBy(name string, refusal *logformat.Refusal) error {
	f := finding.FromRefusal(refusal)
	where := f.Place.Where()
	if where != "" {
		where += ": "
	}
	sentence := func(message string) string {
		return name + ": refused: " + where + message + " [" + f.Code.String() + "]"
	}
	return &quotingError{statusError{exitRefused, sentence(f.Message())}, sentence(f.Code.Entry().Meaning)}
}
