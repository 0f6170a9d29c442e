// Package harnesstest compares this project with the real harness, which is
// published as ordinary packages and as executables: its own loaders judge damaged
// logs, and its own agent loop, with a scripted model, produces sessions whose
// every request is recorded as it is dispatched and then rebuilt from the log.
//
// The tests need Node and a package registry, so they are skipped unless asked
// for: with DSH_HARNESS=1 in the environment, or with -seeds, -mutations or
// -releases.
//
//	go test ./internal/harnesstest -seeds 20 -mutations 1000
//	go test ./internal/harnesstest -run DamagedLogs -timeout 0 -mutations 100000 -releases
//
// A damaged log is a fixture with bits flipped, fields edited, rows packed or
// cited otherwise, events moved, added and numbered again, frames written by hand.
// Each loader says whether it loads, how many events it takes, and what requests
// its own folds make of them; the differences that are meant are a table with
// their reasons, and any other fails. With -releases the executable of 0.1.2-rc.1,
// the last release of format 0, judges too: where it and an earlier release differ
// on a log, the later one is right.
//
// Packages and executables are installed once, into the user's cache folder.
// Nothing of this is needed to build or use the tool.
package harnesstest
