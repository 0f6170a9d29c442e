// Package harnesstest holds this project against the real harness, which is
// published as ordinary packages: its own loader judges damaged logs, and its
// own agent loop, with a scripted model, produces sessions whose every request
// is recorded as it is dispatched and then rebuilt from the log.
//
// The tests need Node and a package registry, so they are skipped unless asked
// for: with DSH_HARNESS=1 in the environment, or with -seeds or -mutations.
//
//	go test ./internal/harnesstest -seeds 20 -mutations 1000
//
// The packages are installed once, into the user's cache folder. Nothing of
// this is needed to build or use the tool.
package harnesstest
