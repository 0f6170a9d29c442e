package verify

import (
	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/result"
	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/reconstruct"
	"github.com/dsh-verify/dsh-verify/reconstruct/transcript"
)

// SessionOf is what a log's header line says of its session.
func SessionOf(h *logformat.SessionHeader, encoding logformat.Encoding) result.Session {
	return result.Session{
		ID: h.ID, CreatedAt: h.CreatedAt, Cwd: h.Cwd, ParentSession: h.ParentSession, SeedLength: transcript.New(h).Seed(),
		Origin: h.Origin, DelegationDepth: h.DelegationDepth, Encoding: encoding, FormatVersion: h.Format(),
	}
}

func newRow(q *reconstruct.Request) result.Request {
	return result.Request{
		Ordinal: q.Ordinal, SessionID: q.SessionID, Turn: q.Turn, Step: q.Step, Attempt: q.Attempt, Prepared: q.Prepared,
		Provider: q.Config.Config.Lookup("provider").Text(), Model: q.Model(),
		Messages: q.Count(), Bytes: q.Len(), SHA256: q.Digest().String(),
		HeaderSeq: q.Config.Seq, DispatchSeq: q.Boundary.Dispatch,
		Relation: Describe(q), KeptMessages: q.Relation.KeptMessages, KeptBytes: q.Relation.KeptBytes,
		Shape: q.Shape(), ShapeAssumed: q.ShapeSource() == reconstruct.ShapeAssumed,
		Verdict: finding.Rebuilt, Exact: q.Doubt == 0,
	}
}
