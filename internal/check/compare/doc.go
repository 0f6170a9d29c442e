// Package compare compares the requests of a log with those of a requests.jsonl: by number,
// then by bytes. Each entry of the recording is one request's, or is reported: none is
// passed over. Lines that a process recorded before it died, and that the log lost, are told
// from those that nothing explains by where they stand.
package compare
