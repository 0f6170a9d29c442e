// Package goldencheck is the check of golden transcripts: it finds them below a folder,
// completes those that are authored, records or checks their sum files, and
// reports what it found as findings.
package goldencheck
