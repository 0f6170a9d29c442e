package finding

// Fails reports whether the finding is an error that nobody has set aside.
func (f Finding) Fails() bool { return f.Severity == Error && f.Suppressed == "" }

// Imposes returns the verdict that the finding puts on its log, "" when it leaves
// the verdict alone. Notes always do, and so does what a policy ignores; a finding
// that a policy raises to an error is drift where its code has no verdict of its own.
func (f Finding) Imposes() Verdict {
	imposes := f.Code.Entry().Imposes
	switch {
	case f.Suppressed != "" || f.Severity == Note:
		return ""
	case f.Severity == Warning:
		if imposes == Unverifiable {
			return imposes
		}
		return ""
	case imposes == "" || imposes == Unverifiable:
		return Drift
	}
	return imposes
}
