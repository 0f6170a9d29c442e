// Package logcheck checks logs with what belongs to them: their recording, their
// objects, the other generations beside them, their parent's log.
//
// A [Checker] has what was said of them all: how they are read, what they are compared
// with, where the objects are. [Checker.Log] gives one log the whole verification and
// [Checker.Audit] the audit alone; [Checker.Place] does so with every log that an
// argument names, and adds what is to be said of the argument itself.
//
// Every log has a report, whatever happens: what cannot be opened is a finding. Reports
// are not weighed by a policy yet.
package logcheck
