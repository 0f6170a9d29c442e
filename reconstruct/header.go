package reconstruct

import (
	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
	"github.com/dsh-verify/dsh-verify/reconstruct/transcript"
)

// An EpochHeader is a request/header snapshot in canonical form: empty system
// prompts and tool lists are absent (nil).
type EpochHeader struct {
	Type            string // of the event, as the log has it
	Seq             int64
	Time            int64
	Pos             logformat.Position
	Reason          string // initial, resume, change, or what an old log says
	Config          ecmajson.Value
	AdapterDefaults ecmajson.Value
	System          ecmajson.Value
	Tools           ecmajson.Value
	Form            ecmajson.Form
}

// NewHeader returns the header of an act that is a snapshot. It does not alias the
// act.
func NewHeader(a *transcript.Act) *EpochHeader {
	e, h := a.Event, &a.Header
	keep := keeper(make([]byte, 0, len(h.Config)+len(h.AdapterDefaults)+len(h.System)+len(h.Tools)))
	return &EpochHeader{
		Type: e.Type, Seq: e.Seq, Time: e.Time, Pos: e.Pos, Form: e.Form, Reason: h.Reason.Text(),
		Config: keep.copy(h.Config), AdapterDefaults: keep.copy(h.AdapterDefaults), System: keep.copy(h.System), Tools: keep.copy(h.Tools),
	}
}

// A keeper copies values into one piece of memory with room for all of them.
type keeper []byte

func (k *keeper) copy(v ecmajson.Value) ecmajson.Value {
	if v == nil {
		return nil
	}
	start := len(*k)
	*k = append(*k, v...)
	return ecmajson.Value((*k)[start:len(*k):len(*k)])
}

// HeaderPart is a part of a header that a request shows.
type HeaderPart string

// The parts.
const (
	PartConfig HeaderPart = "config"
	PartSystem HeaderPart = "system"
	PartTools  HeaderPart = "tools"
)

// ChangedParts lists the parts whose bytes differ between two headers; the old
// one may be nil.
func ChangedParts(old, current *EpochHeader) (parts []HeaderPart) {
	if old == nil {
		old = &EpochHeader{}
	}
	if string(old.Config) != string(current.Config) {
		parts = append(parts, PartConfig)
	}
	if string(old.System) != string(current.System) {
		parts = append(parts, PartSystem)
	}
	if string(old.Tools) != string(current.Tools) {
		parts = append(parts, PartTools)
	}
	return parts
}
