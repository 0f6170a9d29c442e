// Package requestlog reads requests.jsonl, the file in which a recorder inside
// the harness keeps every loop request as it was dispatched:
//
//	{"sessionId":"…","turn":1,"step":1,"attempt":1,"request":{…}}
//
// one line per request, request being the verbatim JSON.stringify of it without
// the abort signal. Recordings reach gigabytes, so the package indexes a file by
// streaming it once and compares a rebuilt request with its place in the file
// without loading either.
//
// Indexing reads the head of a line, up to the request. Where the request then equals
// what was rebuilt, byte for byte, the line is what its head says. Any other line is
// read whole before it counts for anything, as JSON.parse reads it: a member after the
// request, or one that stands again, may make it another's.
package requestlog
