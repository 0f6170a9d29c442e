// Package visible shows text of unknown origin to a person, a terminal or a CI job so
// that it hides nothing and commands nothing.
//
// It has the only table of the characters that are shown as escapes: [Hidden]. Two
// notations use it. [Text] is for a person and for all formats that have no escapes of
// their own: it writes \u{202e}. [JSON] is for JSON, whose value stays the same: it
// writes \u202e there.
//
// Both also take apart what a CI service would take for one of its commands, and [Guard]
// does so for whole lines of output, in which texts that are harmless alone can meet:
//
//	"::" first in a line        GitHub Actions, after any white space
//	"##" letters "["            GitHub Actions and Azure Pipelines, anywhere in a line; TeamCity
//	section_start: section_end: GitLab
//
// The last character of such a mark is written as an escape: :\u{3a}error. Nothing
// depends on where the program runs.
//
// Not a goal: text that is exact by its purpose. A pipe or a file gets the bytes of
// a request as they are; a terminal gets them through a [JSONWriter].
package visible
