package result

import (
	"fmt"

	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/logformat"
)

// SchemaVersion is the version of the JSON report. It counts up when a member
// changes its meaning or goes away; new members do not count.
const SchemaVersion = 1

// A Report is what a run over several logs found.
type Report struct {
	SchemaVersion int             `json:"schemaVersion"`
	Verdict       finding.Verdict `json:"verdict"`
	Logs          []*Log          `json:"logs"`
}

// Add adds a log's report; the verdict becomes the worst.
func (r *Report) Add(log *Log) {
	r.Logs = append(r.Logs, log)
	r.Weigh(log)
}

// Weigh takes a log's verdict without keeping its report. A place of which nothing
// bad is to be said has no part in it: its logs do.
func (r *Report) Weigh(log *Log) {
	if !log.Place || log.Verdict != finding.Rebuilt {
		r.Verdict = finding.Worse(r.Verdict, log.Verdict)
	}
}

// Sessions counts the logs without the places.
func (r *Report) Sessions() (n int) {
	for _, log := range r.Logs {
		if !log.Place {
			n++
		}
	}
	return n
}

// A Log is what was found in one session's log.
type Log struct {
	File     string            `json:"file"`
	Verdict  finding.Verdict   `json:"verdict"`
	Session  Session           `json:"session"`
	Counts   Counts            `json:"counts"`
	Requests []Request         `json:"requests"`
	Findings []finding.Finding `json:"findings"`
	// Place says that this is no log but what an argument names, as a folder, about
	// which there is something to say.
	Place bool `json:"place,omitempty"`
	// ComparedWith names the recording, "" when there was none.
	ComparedWith string `json:"comparedWith,omitempty"`
	// Golden is what the gate on golden transcripts says of it: unchanged, changed,
	// accepted, new, written, missing, removed, refused, unreadable, unwritten or ignored. ""
	// elsewhere.
	Golden string `json:"golden,omitempty"`
	// Authored says that the log was completed from an authored transcript.
	Authored bool `json:"authored,omitempty"`
	// Objects names the object store, "" when there was none.
	Objects string `json:"objectStore,omitempty"`
	// Older names the files of older generations beside the log, which were not read.
	Older []string `json:"olderGenerations,omitempty"`
	// Policy names the file whose policy was applied, "" when there was none.
	Policy string `json:"policy,omitempty"`
	// Attachments lists the distinct attachments that requests reference.
	Attachments []Attachment `json:"attachments,omitempty"`
}

// An Attachment is an object that requests reference.
type Attachment struct {
	ID        string          `json:"attachmentId"`
	MediaType string          `json:"mediaType"`
	Bytes     int64           `json:"bytes"`
	Width     int64           `json:"width"`
	Height    int64           `json:"height"`
	Requests  int             `json:"requests"` // that hold it
	Verdict   finding.Verdict `json:"verdict"`  // verified, drift (it fails) or unverifiable (no store)
}

// Session identifies a session.
type Session struct {
	ID              string             `json:"id"`
	CreatedAt       int64              `json:"createdAt"`
	Cwd             string             `json:"cwd,omitempty"`
	ParentSession   string             `json:"parentSession,omitempty"`
	SeedLength      int64              `json:"seedLength,omitempty"`
	Origin          string             `json:"origin,omitempty"`
	DelegationDepth int64              `json:"delegationDepth"`
	Encoding        logformat.Encoding `json:"encoding"`
	FormatVersion   int64              `json:"formatVersion"`
}

// Counts are a log's numbers.
type Counts struct {
	Lines     int64 `json:"lines"`
	Bytes     int64 `json:"bytes"` // of decoded text
	Events    int64 `json:"events"`
	Turns     int64 `json:"turns"`
	Steps     int64 `json:"steps"`
	Requests  int   `json:"requests"`
	Retries   int64 `json:"retries"` // attempts beyond the first of their step
	Prepared  int   `json:"prepared"`
	Inherited int   `json:"inherited"`
	Headers   int   `json:"headers"`
	Replaces  int   `json:"replaces"`
	Verified  int   `json:"verified"`         // requests that a recording confirms
	Proved    int   `json:"proved,omitempty"` // prepared requests that a recording proves to have been sent
	Drifted   int   `json:"drifted"`
	Objects   int   `json:"objects"` // distinct attachments that requests reference
	ObjectsOK int   `json:"objectsVerified"`
}

// A Request is one row of the table.
type Request struct {
	Ordinal      int    `json:"ordinal,omitempty"` // 0: prepared
	SessionID    string `json:"sessionId"`
	Turn         int64  `json:"turn"`
	Step         int64  `json:"step"`
	Attempt      int64  `json:"attempt"`
	Prepared     bool   `json:"prepared,omitempty"`
	Provider     string `json:"provider"`
	Model        string `json:"model"`
	Messages     int    `json:"messages"`
	Bytes        int64  `json:"bytes"`
	SHA256       string `json:"sha256,omitempty"`     // "" in a redacted report
	HMACSHA256   string `json:"hmacSha256,omitempty"` // of the digest, in a redacted report
	HeaderSeq    int64  `json:"headerSeq"`
	DispatchSeq  int64  `json:"dispatchSeq"` // -1: none
	Relation     string `json:"relation"`    // to the request before, in words
	KeptMessages int    `json:"keptMessages"`
	KeptBytes    int64  `json:"keptBytes"`
	// Shape is the request's, where its format has several; ShapeAssumed says that
	// neither the log nor a recording nor the user tells which of them was sent.
	Shape        string          `json:"shape,omitempty"`
	ShapeAssumed bool            `json:"shapeAssumed,omitempty"`
	Verdict      finding.Verdict `json:"verdict"`
	Exact        bool            `json:"exact"` // false: the bytes sent were others, see the findings
}

// Key returns "turn.step.attempt".
func (r *Request) Key() string { return fmt.Sprintf("%d.%d.%d", r.Turn, r.Step, r.Attempt) }
