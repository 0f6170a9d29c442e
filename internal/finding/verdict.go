package finding

// Fails reports whether the finding is an error that nobody has set aside.
func (f Finding) Fails() bool { return f.Severity == Error && f.Suppressed == "" }

// Imposes returns the verdict that the finding puts on its log, "" when it leaves
// the verdict alone. Notes always do, and so does what a policy ignores.
func (f Finding) Imposes() Verdict {
	switch {
	case f.Suppressed != "" || f.Severity == Note:
		return ""
	case f.Severity == Warning:
		if leavesOpen(f.Code) {
			return Unverifiable
		}
		return ""
	}
	return failsAs(f.Code)
}

// leavesOpen tells the codes of checks that could not be made.
func leavesOpen(code string) bool {
	switch code {
	case ObjectsNotChecked, RequestHeadless, RecordingNotMatched, CaptureIncomparable, InputTooDeep, StoreNoLog:
		return true
	}
	return false
}

// failsAs is the verdict of an error: the log is refused, an input cannot be
// read, or what was compared differs.
func failsAs(code string) Verdict {
	switch code {
	case InputUnreadable, InputNoSession, RecordingUnread, StoreMoved, StorePlaceholder, GoldenSum, GoldenUnwritten, ScanInterrupted:
		return Unreadable
	case ScanNothing:
		return Nothing
	}
	if entry, _ := Lookup(code); entry.Group == "refusal" {
		return Refused
	}
	return Drift
}
