// Package scan checks every session below some roots, many at a time.
//
// [Run] searches the roots one after the other, keeps each session once, however many
// roots lead to it, and has those checked that [Options.Choose] leaves. One session that
// cannot be used never stops the others, unless [Options.FailFast] says so. What happens
// is told as events, one at a time, in the order in which it happens:
//
//   - [Checked]: a session was checked, or a root could not be opened;
//   - [Noted]: there is something to say of a root, or of the scan itself.
//
// A scan keeps counts and no reports. It ends early when its context ends: what is under
// way then has [LastWords] to end, and counts no more after that. The [Outcome] says
// what was left out.
//
// The package knows neither how a session is checked nor how a result is printed.
package scan
