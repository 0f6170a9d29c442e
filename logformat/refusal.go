package logformat

import "fmt"

// A Code names a kind of refusal. Codes are stable: they never change their
// meaning, and tools may depend on them.
type Code string

// The codes of this package. Each is described in [Codes].
const (
	CodeEmpty              Code = "log/empty"
	CodeEncoding           Code = "log/encoding"
	CodeHeaderUnterminated Code = "header/unterminated"
	CodeVersionNewer       Code = "version/newer"
	CodeVersionOlder       Code = "version/older"
	CodeHeaderGeneration   Code = "header/generation"
	CodeHeaderNotJSON      Code = "header/not-json"
	CodeHeaderBOM          Code = "header/byte-order-mark"
	CodeHeaderShape        Code = "header/shape"
	CodeHeaderRetired      Code = "header/retired-field"
	CodeHeaderCwd          Code = "header/cwd"
	CodeHeaderField        Code = "header/field"
	CodeHeaderUnknown      Code = "header/unknown-member" // V2-04
	CodeSeedLength         Code = "header/seed-length"
	CodeSeedMarker         Code = "header/seed-marker" // V2-20
	CodePath               Code = "header/path"

	CodeZstdMagic       Code = "zstd/magic"
	CodeZstdReserved    Code = "zstd/reserved"
	CodeZstdFrame       Code = "zstd/frame"
	CodeZstdHeaderFrame Code = "zstd/header-frame"
	CodeZstdTornRecord  Code = "zstd/torn-record"

	CodeLineNotJSON   Code = "line/not-json"
	CodeLineBlank     Code = "line/blank"
	CodeLineNull      Code = "line/null"
	CodeLineNoRecord  Code = "line/no-record"
	CodeLineTooLong   Code = "line/too-long"
	CodeLineTooDeep   Code = "line/too-deep"
	CodeSeqGap        Code = "seq/gap"
	CodeSeqShape      Code = "seq/no-count"
	CodeSeqAbsent     Code = "seq/absent"
	CodeChunkRow      Code = "chunk-row/malformed"
	CodeStoreRow      Code = "store/row"
	CodeSizeLimit     Code = "log/size-limit"
	CodeLegacyDelta   Code = "legacy/header-delta"
	CodeLegacyMode    Code = "legacy/mode-set"
	CodeFallback      Code = "legacy/reason-fallback"
	CodeLegacyShape   Code = "legacy/malformed"
	CodeMessageID     Code = "message/unidentified"
	CodeMessageRole   Code = "message/role"
	CodeMessageSource Code = "message/source"
	CodeMessageBody   Code = "message/content"
	CodeTurnEnd       Code = "turn-end/malformed"
	CodeTypeUnknown   Code = "event/unknown-type"
	CodeDataShape     Code = "event/data"
	CodeCloserCallID  Code = "tool-call/empty-id"
	CodeEnvelope      Code = "event/envelope"
	CodeHeaderRoute   Code = "request-header/route"
	CodeHeaderEffort  Code = "request-header/reasoning-effort"
	CodeDefaults      Code = "request-header/adapter-defaults"
	CodeHeaderMember  Code = "request-header/malformed"

	CodeSurfaceOpMissing  Code = "surface/op-missing"
	CodeSurfaceOpLogOnly  Code = "surface/op-on-log-only"
	CodeSurfaceOpShape    Code = "surface/op-malformed"
	CodeSourcesLogOnly    Code = "sources/on-log-only"
	CodeSourcesShape      Code = "sources/malformed"
	CodeSourcesMany       Code = "sources/too-many"
	CodeSourcesEmpty      Code = "sources/empty"
	CodeSourcesDuplicate  Code = "sources/duplicate"
	CodeSourcesForward    Code = "sources/not-earlier"
	CodeReplaceMissing    Code = "replace/not-on-surface"
	CodeReplaceReversed   Code = "replace/reversed"
	CodeReplaceSources    Code = "replace/source-missing"
	CodeReplaceToolTarget Code = "replace/tool-target"
	CodeReplaceToolEdit   Code = "replace/tool-more-than-content"
)

// A Phase ranks refusals: where a log has several faults, the one of the first phase is
// its verdict, and within a phase the first. The order of the phases is that in which
// the harness checks, and each [Version] has its own.
type Phase int

// The phases. The first three come before a version is known, and first in all.
const (
	PhaseContainer   Phase = iota // physical damage: no header, frames that do not decode
	PhaseVersion                  // another format version
	PhaseHeader                   // the shape of the header line
	PhaseLines                    // lines, chunk rows, contiguous event numbers
	PhasePath                     // the header's id and cwd against the log's place in a store root
	PhaseHeaderDelta              // legacy request/header-delta, anywhere
	PhaseModeSet                  // legacy mode/set, anywhere
	PhaseFallback                 // legacy reason "fallback", anywhere
	PhaseMessages                 // upgrades and message shapes, event by event
	PhaseTypes                    // event types that are not in the vocabulary
	PhaseSeed                     // what the header says of inherited events against the events that were kept
	PhaseClosers                  // what closing an open turn would have to write
	PhaseHeaderLate               // the header's cwd, seedLength and parentSession
	PhaseEvents                   // envelope, request headers and surface rules, event by event
	PhaseRelations                // what rows say of each other, over the whole log
	PhaseFold                     // what the harness loads and can make no request from
)

// A Refusal says why a log cannot be trusted, and where. It implements error.
type Refusal struct {
	Code   Code
	Phase  Phase
	Pos    Position // Line 0 where the fault is not at a line
	Seq    int64    // the event's number, -1 where there is none
	Detail string   // what was found there, in one clause; may quote the log, so print it with control characters made visible
}

// Error returns the refusal as one line: what is wrong there and what it means.
func (r *Refusal) Error() string {
	where := ""
	switch {
	case r.Seq >= 0 && r.Pos.Line > 0:
		where = fmt.Sprintf("line %d (seq %d): ", r.Pos.Line, r.Seq)
	case r.Pos.Line > 0:
		where = fmt.Sprintf("line %d: ", r.Pos.Line)
	}
	return where + r.Message()
}

// Message returns the sentence alone, without the place.
func (r *Refusal) Message() string {
	info := r.Code.Info()
	if r.Detail == "" {
		return info.Meaning
	}
	return r.Detail + ": " + info.Meaning
}

// precedes reports whether r comes before q in the log: the lower event, then the lower
// line.
func (r *Refusal) precedes(q *Refusal) bool {
	if r.Seq >= 0 && q.Seq >= 0 && r.Seq != q.Seq {
		return r.Seq < q.Seq
	}
	return r.Pos.Line < q.Pos.Line
}

// Class tells refusals apart by what the reader of the report has to do.
type Class string

// The classes of refusal.
const (
	Foreign Class = "foreign" // written by another version of the harness: upgrade or downgrade
	Legacy  Class = "legacy"  // a vocabulary that was removed; no release reads it
	Corrupt Class = "corrupt" // damaged, cut, or of no shape that a release writes
)

// CodeInfo describes a code.
type CodeInfo struct {
	Code    Code
	Class   Class
	Meaning string // what is wrong and what that means, a clause without a full stop
	Action  string // what to do about it
}

// Info returns the description of c; for a code that is not of this package the
// description is empty except for the code.
func (c Code) Info() CodeInfo {
	for _, info := range codes {
		if info.Code == c {
			return info
		}
	}
	return CodeInfo{Code: c, Class: Corrupt, Meaning: string(c)}
}

// Codes returns the description of every refusal, in catalogue order. The
// slice is shared: do not change it.
func Codes() []CodeInfo { return codes }
