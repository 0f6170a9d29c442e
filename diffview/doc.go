// Package diffview says where and how two byte strings differ that should have
// been equal, for a person.
//
// [Compare] finds the level on which they differ (bytes, JSON values, or only
// order), the first differing byte, and the changes by JSON path. [Diff.Headline]
// puts it in one line, and a [Printer] shows it: what is equal is folded, long
// strings are compared by line and then by character in a bounded window, and
// characters without ink are made visible by [Visible].
//
// The output depends on the two texts only: no clock limits the search, sizes do.
package diffview
