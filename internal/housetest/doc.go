// Package housetest holds the rules that keep this code base in order, as tests:
// which package may import which, how long a function and a file may be, and which
// words a reader is spared. It reads the tree's own sources and has no code to import.
package housetest
