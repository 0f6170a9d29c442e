// Package finding is the one vocabulary in which everything that dsh-verify has
// to say about a log is said: a stable code, a severity, a place and a sentence.
// Every output format renders the same findings.
package finding
