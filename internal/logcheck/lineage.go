package logcheck

import (
	"github.com/dsh-verify/dsh-verify/internal/check/lineage"
	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/result"
	"github.com/dsh-verify/dsh-verify/internal/source"
	"github.com/dsh-verify/dsh-verify/internal/text"
)

// Lineage compares a session with its parent's log, if that is available: among the logs
// of the same argument, whose reports are given, or in the same store root. What it finds
// it adds to the session's report.
func (c *Checker) Lineage(log *source.Log, report *result.Log, logs []*source.Log, reports []*result.Log) {
	parentID := report.Session.ParentSession
	if parentID == "" || unusable(report) {
		return
	}
	parent := Parent(parentID, log, logs, func(i int) string { return reports[i].Session.ID })
	if parent == nil {
		report.Note(finding.LineageAbsent, finding.Plain(parentID), finding.Place{Seq: -1})
		return
	}
	found, err := c.compareLineage(log, parent)
	if err != nil {
		report.Note(finding.InputUnreadable, finding.Plain(text.Cause(err)), finding.Place{Seq: -1, File: parent.Name})
		return
	}
	for _, f := range found {
		report.Add(f)
	}
}

func (c *Checker) compareLineage(child, parent *source.Log) ([]finding.Finding, error) {
	childReader, closeChild, err := child.Open(c.Read)
	if err != nil {
		return nil, err
	}
	defer closeChild.Close()
	parentReader, closeParent, err := parent.Open(c.Read)
	if err != nil {
		return nil, err
	}
	defer closeParent.Close()
	return lineage.Check(childReader, parentReader)
}

// Parent returns the log of the session with an id: the first of some logs that has it,
// where idOf gives the id of a log's session by the log's number, or else the log in the
// child's store root. It is nil when neither is there.
func Parent(id string, child *source.Log, logs []*source.Log, idOf func(int) string) *source.Log {
	for i, log := range logs {
		if idOf(i) == id {
			return log
		}
	}
	if child.Root == "" {
		return nil
	}
	return source.InRoot(child.Root, id)
}
