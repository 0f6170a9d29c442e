package finding

// The codes of what a log holds, and how it ends.
var (
	TailTorn            = note("tail/torn", "the log ends in a record that was never completed, as a crash leaves it; it is not part of the session", "Nothing: the harness drops it too.")
	TailIssue           = warning("tail/unreadable", "what follows the last sound record does not decode and no turn ends after it, so the harness drops it as a torn tail", "A crash or a full disk leaves this, and so does what wrote to the file besides the harness: everything after this line is lost to it.")
	LogInvalidUTF8      = warning("log/invalid-utf8", "lines hold bytes that are not UTF-8; the harness reads them as U+FFFD, so the original bytes are lost", "Find what wrote the log: the harness writes UTF-8 only.")
	LogForeignJSON      = warning("log/foreign-json", "lines are not as JSON.stringify prints them, so something else than the harness wrote or edited them; they were rebuilt by JavaScript's rules", "Treat the log as edited unless you know the writer.")
	LogLaterRefuses     = warning("log/later-release-refuses", "the loader of this log's own format does not look at this, and opens the log; the release named here does when it migrates the log, and refuses it", "Keep a release of the log's own format to go on with the session; see which of its rows do not fit each other.")
	LogNoChecksum       = note("log/no-checksum", "Zstandard frames have no content checksum; the harness always writes one, so the log was compressed again", "")
	LogIgnored          = note("log/ignored-event", "events of unknown types are marked ignorable and were skipped, as the harness does", "")
	LogAdmitted         = note("log/admitted-event", "events of a type outside the format were admitted on request", "")
	LogUpgraded         = note("log/upgraded", "events have shapes that early harness builds wrote; they were upgraded as the harness does on load", "")
	LogHeaderKeys       = note("log/header-keys", "the header line has keys that the format does not know; the harness drops them", "")
	RequestPrepared     = note("request/prepared", "the log cannot show whether these requests were sent: their steps have neither a chunk nor an assistant message", "A recording that holds them proves it: pass --recorded.")
	RequestDoubt        = warning("request/not-as-sent", "the rebuilt bytes are what the harness makes of this log today, not the bytes that were sent: the lifetime that sent them wrote legacy shapes, or lines that the harness does not print", "")
	RequestOverOld      = note("request/over-upgraded-history", "these requests were sent over history that the harness upgraded or printed again when it loaded the log; their bytes are its own and exact", "")
	RequestShapeAssumed = note("request/shape-assumed", "two kinds of release make different requests of such a log, and this one does not show which of them wrote it: the requests are in the shape of 0.2, as all releases since 0.1.7-rc.2 send them", "A recording tells; or say which release it was with --request-shape: 0.1.7 is right for 0.1.7-alpha.2 and 0.1.7-rc.1 alone.")
	RequestHeadless     = declare("request/no-header", Warning, Unverifiable, "chunks show requests for which the log has no request header before them; they cannot be rebuilt", "")
)
