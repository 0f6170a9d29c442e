// Package shape knows exactly which data the upgrades of log formats 0, 1 and 2 admit.
//
// An upgrade of these formats refuses a member that it does not know, anywhere in the data
// of an event, because the member could hold an event number that has to be renumbered. So
// the data of each event type is a closed shape. [Check] compares data with it.
//
// # Notation
//
// A shape is written as a list of members, "name:type" or, where the member may be absent,
// "name?:type". The types are
//
//	s s+      a string, a string that is not empty
//	n n+      a count (a safe integer from 0, not -0), a count from 1
//	i         a safe integer, not -0
//	f f0      a finite number that is not -0, one that is not negative
//	b         true or false
//	any obj   any value, any object
//	seq       a count below the event's own number
//	seqs      an array of such numbers without repeats; seqs+ is not empty
//	=x|y      one of these strings; =true and =1 are the value, not the string
//	[T] [T]+ [T]1  an array of T; one that is not empty; one of a single element
//	{...}     an object of exactly these members
//	@name     a shape with a name: blocks, sources and the like, chosen by their kind
//	T|null    T or null
//
// # Versions
//
// Content blocks and sources of an unknown kind are free in formats 0 and 1 and refused in
// format 2. Format 0 has no captured format version in a session reference.
package shape
