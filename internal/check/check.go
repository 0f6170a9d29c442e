// Package check puts together the checks of a whole verification.
package check

import (
	"github.com/dsh-verify/dsh-verify/internal/check/audit"
	"github.com/dsh-verify/dsh-verify/internal/check/capture"
	"github.com/dsh-verify/dsh-verify/internal/check/compare"
	"github.com/dsh-verify/dsh-verify/internal/check/objects"
	"github.com/dsh-verify/dsh-verify/internal/requestlog"
	"github.com/dsh-verify/dsh-verify/internal/verify"
	"github.com/dsh-verify/dsh-verify/objectstore"
)

// Options say what a log is checked against.
type Options struct {
	Recording *requestlog.File      // nil: nothing to compare with
	Traffic   *capture.Traffic      // nil: no captured traffic
	Objects   *objectstore.Verifier // nil: no object store available
	// Audit checks the log against itself too.
	Audit bool
}

// Checks returns the checks of the options, in the order in which their findings are
// reported.
func (o Options) Checks() (checks []verify.Check) {
	if o.Recording != nil {
		checks = append(checks, compare.New(o.Recording))
	}
	if o.Traffic != nil {
		checks = append(checks, capture.New(o.Traffic, o.Objects))
	}
	checks = append(checks, objects.New(o.Objects))
	if o.Audit {
		checks = append(checks, audit.New())
	}
	return checks
}
