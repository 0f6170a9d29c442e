// Package verify runs the whole way over one log: it reads, rebuilds every
// request, compares with a recording, checks the attachments that the requests
// reference, and says what it found as findings and one verdict.
//
// It knows neither terminals nor output formats, and it reads the log once.
package verify
