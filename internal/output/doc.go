// Package output renders what a run found: the same findings in every format. It
// does not know how they were found.
//
//	text      for a person; log by log, as the run goes
//	json      one document, the whole report
//	ndjson    a line per log, as in json, as the run goes; the verdict last
//	junit     a testsuite per log, a testcase per request and one for the log itself
//	sarif     SARIF 2.1.0: a result per finding, at its file and line
//	markdown  a page for the summary of a CI job
//
// Text that comes from a log is made visible (see diffview.Visible) wherever a
// person will read it, which is everywhere but in json and ndjson: those hold the
// texts as they are, escaped by JSON's rules.
//
// A finding that a policy ignores stays in every format and fails in none.
package output
