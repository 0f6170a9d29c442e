package main

import (
	"github.com/dsh-verify/dsh-verify/internal/finding"
)

// Exit codes.
const (
	exitOK           = 0
	exitDrift        = 1
	exitUsage        = 2
	exitRefused      = 3
	exitUnreadable   = 4
	exitUnverifiable = 5
)

// verdictStatus returns the error that ends a run with the exit code of v.
func verdictStatus(v finding.Verdict, strict bool) error {
	switch v {
	case finding.Drift:
		return &statusError{code: exitDrift}
	case finding.Refused:
		return &statusError{code: exitRefused}
	case finding.Unreadable, finding.Nothing:
		return &statusError{code: exitUnreadable}
	case finding.Unverifiable:
		if strict {
			return &statusError{code: exitUnverifiable}
		}
	}
	return nil
}
