package logformat

import (
	"maps"
	"slices"
)

// A Version holds what a log format fixes: its vocabulary, which types are on
// the surface, and which are refused as legacy. Readers ask their version
// instead of branching on a number.
type Version struct {
	Number   int64
	Releases string // the harness releases that write it, in words
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

// Versions lists the formats that are read.
func Versions() []*Version { return []*Version{Version0} }

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
