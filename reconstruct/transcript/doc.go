// Package transcript tells what happened in a session, in no log format's words.
//
// A [Log] projects each record of a log to an [Act]: a turn starts, a message is put
// on the surface, a header comes into force, a piece of an answer arrives. Who folds
// acts needs no event's name and asks for no version; who needs the words of the log
// finds them in the act's record.
//
// # Acts and what they carry
//
//	TurnStart, TurnEnd    the bounds of a turn
//	StepStart, StepEnd    of a step; Place names turn and step
//	Message               Entry: who speaks, the message's JSON, what it does on the surface
//	Settlement            an attempt of a request is over, and with it is known that it was sent; its
//	                      answer, where there is one, is its Entry
//	ToolUpdate            tools are announced within the history; what says so is its Entry
//	Offload               messages on the surface lose images in place
//	Snapshot              Header: what is not history of the requests from here on
//	Context               which route and modes the requests have, which they do not show
//	FirstByte, StreamEnd  a piece of an answer, and its last: what shows that a request was sent where
//	                      answers are logged as they arrive
//	Retry                 a further attempt is planned, or was started
//	SideRequest           Side: a request outside the loop
//	SeedEnd               what came before is another lifetime's, or another session's
//	Other                 nothing that a request depends on
//
// FirstByte is projected for every piece, because a record does not know its
// predecessors: the first of an attempt is the one that says something.
//
// # Another format
//
// A format is a file here, as v0.go is, with the function that projects one event of
// it, and an entry in the table of projections. What happens in a format that no act
// has a word for becomes a kind of act; a format never makes a branch in what folds
// them.
//
// Acts are reused as records are: an act is valid until the next one, and projecting
// a record allocates nothing.
package transcript
