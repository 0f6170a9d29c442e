// Package browsertest opens reports in a real browser: Chromium, without a
// window, from disk. It clicks, types, filters and opens requests, and holds what
// is visible then; that nothing is written to the console; that no request leaves
// the page; and that what a log says stays text.
//
// It is a module of its own, so that the tool does not depend on what drives a
// browser. Where no browser is installed its tests are skipped and say so.
//
//	go test ./... -screenshots ../../../docs/images
package browsertest
