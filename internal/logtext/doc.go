// Package logtext is a notation for small logs, for tests: a line of words for
// each event, from which it writes the log's own lines. Event numbers, times, ids
// and the shape of messages are filled in, so a test shows only what its rule is
// about.
//
//	turn 1
//	step 1.1
//	q: user "hi"
//	header gpt system="Be brief."
//	chunk "yo"
//	a: assistant "yo"
//	step end
//	user "summary" over q..a
//	turn end
//
// # Lines
//
// A line may begin with a name and a colon; other lines use the name for the
// number of its event. What stands in brackets may be left out. TEXT is a JSON
// string, SPAN is NAME or NAME..NAME. Empty lines, and what follows a #, count for nothing.
//
//	log [id="s"] [seed=N] [parent="p"] …    the header line; only as the first
//	turn N | turn end [KIND]                KIND is that of the reason: completed
//	step T.S | step end                     what follows is said of this turn and step
//	user TEXT                               a message of the user
//	assistant TEXT | assistant empty        a message of the model; empty has content []
//	call ID NAME | result ID TEXT           a tool's call, and its result
//	header MODEL [system=] [tools=] [reason=] [config=] [defaults=]
//	context                                 request/context
//	chunk [TEXT] | chunks N | finish KIND   a delta, a packed row of N deltas, the end of a stream
//	retry | retry started                   what the retry policy logs
//	compaction start | summary SPAN [called] | end
//	prune SPAN                              compaction/prune
//	end-seed | title
//	event TYPE JSON                         any other event, with its data
//	raw JSON                                a line as it is
//
// After a message: "over SPAN" makes it a replace of the span, "cites NAME,NAME…"
// or "cites none" says what it cites (otherwise a replace cites each message between
// the span's ends), "id=TEXT" and "meta=JSON" set members of it,
// "at=T.S" the turn and step that it names.
package logtext
