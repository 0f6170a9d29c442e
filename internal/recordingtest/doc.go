// Package recordingtest compares this project's comparison with recordings with
// JavaScript's reading of them. Its test mutates recordings: requests.jsonl, folders of
// bodies with and without an index, and HAR files, at the level of bytes, members, lines
// and entries. Of each mutant that is called verified, two judges must say the same: one
// in Go over encoding/json's maps, and, where Node is there, one in JavaScript.
//
//	go test ./internal/recordingtest                       a short form
//	go test ./internal/recordingtest -mutants 40000 -v     the long one, with a summary
//
// The judges know the recording before it was mutated and nothing of this project's
// readers. What they do not judge is said in the summary by its class: what stands in a
// hole of a body, as a provider's file id; a request that a process lost between two
// lifetimes; bodies of no known session that are far from those of this one, or that
// the log does not tell of, as a compaction that failed. The other
// way round, mutants that JavaScript calls equal and this project does not verify are
// counted by the finding that says why.
package recordingtest
