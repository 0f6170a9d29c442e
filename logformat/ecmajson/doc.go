// Package ecmajson reads and prints JSON exactly as JavaScript does.
//
// The log of a session was written by JSON.stringify, and the harness prints
// again what it parsed. To rebuild its bytes one needs JavaScript's own rules
// (ECMA-262, sections 25.5 JSON and 6.1.6.1.20 Number::toString), which differ
// from those of Go's JSON packages:
//
//   - Object keys that are array indexes (canonical decimal numbers from 0 to
//     2^32-2) come first, ascending; the others keep the order in which they first
//     appeared. A repeated key keeps its first place and takes its last value.
//   - Numbers are doubles, printed with the fewest digits that read back as the
//     same double: 1.0 prints 1, 1e21 prints 1e+21, -0 prints 0, 1e400 prints null.
//   - Strings escape ", \ and control characters, the short way where there is
//     one, and lone surrogates as \udxxx; everything else is raw.
//   - Bytes that are not UTF-8 are replaced by U+FFFD before parsing, one for each
//     maximal subpart (Unicode standard, section 3.9).
//
// # Checking before printing
//
// [Check] looks at each byte once. It tells whether a text is JSON, and whether
// its bytes are canonical: what JSON.stringify(JSON.parse(text)) would print.
// Bytes that are can be used as they are; only others go through [Append].
//
// # Values
//
// A [Value] is the bytes of one value that Check accepted. Its methods find their
// way in those bytes without building anything, and understand every spelling,
// canonical or not. The zero Value stands for an absent one, so that lookups
// chain: v.Lookup("message").Lookup("id").Text().
//
// Text that leaves the package as a Go string is WTF-8: UTF-8, but that a lone
// surrogate is kept as the three bytes that its number would have.
package ecmajson
