package logformat

import (
	"maps"
	"slices"
	"strconv"
)

// A Version holds what a log format fixes: its vocabulary, which types are on
// the surface, and which are refused as legacy. Readers ask their version
// instead of branching on a number.
type Version struct {
	Releases string // the harness releases that write it, in words
	number   int64
	header   headerRules
	known    map[string]typeClass
	refused  map[string]refusedType
	admit    rowAdmission
}

type typeClass uint8

const (
	logOnly typeClass = iota + 1
	onSurface
)

type refusedType struct {
	code  Code
	phase Phase
}

// Known reports whether the type is in the version's vocabulary.
func (v *Version) Known(eventType string) bool { return v.known[eventType] != 0 }

// OnSurface reports whether events of the type are model-visible: they must
// carry surfaceOp, and no other type may.
func (v *Version) OnSurface(eventType string) bool { return v.known[eventType] == onSurface }

// Types returns the vocabulary in alphabetical order.
func (v *Version) Types() []string { return slices.Sorted(maps.Keys(v.known)) }

// versions are the formats that are read, from the oldest to the newest.
var versions = []*Version{Version0}

// Versions lists the formats that are read.
func Versions() []*Version { return slices.Clone(versions) }

// String names the format, to be printed.
func (v *Version) String() string { return "format " + strconv.FormatInt(v.number, 10) }

// FileName returns the name of the file of a log of the version.
func (v *Version) FileName(compressed bool) string { return FileName(v.number, compressed) }

func classify(types []string, surface ...string) map[string]typeClass {
	known := make(map[string]typeClass, len(types))
	for _, t := range types {
		known[t] = logOnly
	}
	for _, t := range surface {
		known[t] = onSurface
	}
	return known
}
