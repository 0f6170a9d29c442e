// Package output renders what a run found: the same findings in every format. It
// does not know how they were found.
package output
