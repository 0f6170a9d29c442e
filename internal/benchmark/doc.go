// Package benchmark measures the whole way over generated logs, and beside it, in
// the same run, the floor (each byte decoded, scanned and hashed once) and the
// obvious way to do the same job. docs/performance.md tells how to run it and
// what it gave.
package benchmark
