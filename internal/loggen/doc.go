// Package loggen writes session logs of any size for benchmarks and tests: valid
// logs of format 0, the same bytes for the same options. It stands in for the
// harness where only the amount and the shape of a log matter; what a log must
// contain is compared with recordings elsewhere.
package loggen
