package reconstruct

import (
	"slices"

	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
	"github.com/dsh-verify/dsh-verify/reconstruct/transcript"
)

// announcedTools is the tool history of format 4 (section 9 of the specification of later
// formats): which tools a series of requests began with, and which were announced since.
// It is fed with all that is logged, whether or not the surface still shows it.
type announcedTools struct {
	headers   map[int64]ecmajson.Value // the tools of each snapshot, by its event
	latest    ecmajson.Value           // of the last one; equal tools are kept once
	declared  map[string]string        // name to tool, of the series
	available map[string]bool          // names that can be called, as the history tells it
	active    []ecmajson.Value         // the tools of the header in force

	baseline ecmajson.Value // tools of the series' first header
	updates  []byte         // the announcements since, joined by commas

	changes int // of all this
	cached  ecmajson.Value
	made    int // the value of changes when cached was made, plus 1
}

func newAnnouncedTools() toolHistory {
	return &announcedTools{headers: make(map[int64]ecmajson.Value), baseline: noTools}
}

var noTools = ecmajson.Value("[]")

func (h *announcedTools) fold(a *transcript.Act) {
	switch a.Kind {
	case transcript.Snapshot:
		h.snapshot(a)
	case transcript.ToolUpdate:
		h.update(a)
	}
}

// snapshot takes the tools of a header, which begins a new series when it says so, or
// when a tool that was declared is another one now.
func (h *announcedTools) snapshot(a *transcript.Act) {
	h.changes++
	first := len(h.headers) == 0
	tools := a.Header.Tools
	if tools == nil {
		tools = noTools
	}
	if string(tools) != string(h.latest) {
		h.latest = slices.Clone(tools)
	}
	h.headers[a.Event.Seq] = h.latest
	h.active = slices.Collect(h.latest.Elements())
	if first || a.Header.StartsSeries || a.Header.Reason.Is("series") || h.redeclares() {
		h.begin()
	}
}

// redeclares reports whether an active tool was declared with another text.
func (h *announcedTools) redeclares() bool {
	return slices.ContainsFunc(h.active, func(tool ecmajson.Value) bool {
		text, ok := h.declared[nameOf(tool)]
		return ok && text != string(tool)
	})
}

func nameOf(tool ecmajson.Value) string { return tool.Lookup("name").Text() }

// begin makes the active tools the baseline of a new series.
func (h *announcedTools) begin() {
	h.declared, h.available = make(map[string]string), make(map[string]bool)
	for _, tool := range h.active {
		h.declared[nameOf(tool)] = string(tool)
		h.available[nameOf(tool)] = true
	}
	h.baseline, h.updates = h.latest, nil
}

// update takes an announcement, which counts even when it announces nothing.
func (h *announcedTools) update(a *transcript.Act) {
	h.changes++
	message := a.JSON()
	seq, _ := a.Event.Data.Lookup("headerSeq").SafeInt()
	if len(h.updates) > 0 {
		h.updates = append(h.updates, ',')
	}
	h.updates = append(append(h.updates, `{"messageId":`...), message.Lookup("id")...)
	h.updates = append(h.updates, `,"additions":[`...)
	additions := 0
	for block := range message.Lookup("content").Elements() {
		name := block.Lookup("toolName").Text()
		switch kind := block.Lookup("type"); {
		case kind.Is("tool-addition"):
			tool := toolNamed(h.headers[seq], name)
			if additions++; additions > 1 {
				h.updates = append(h.updates, ',')
			}
			h.updates = append(h.updates, tool...)
			h.declare(name, tool)
		case kind.Is("tool-removal"):
			delete(h.available, name)
		}
	}
	h.updates = append(h.updates, `]}`...)
}

func (h *announcedTools) declare(name string, tool ecmajson.Value) {
	if h.declared == nil {
		h.declared, h.available = make(map[string]string), make(map[string]bool)
	}
	h.declared[name], h.available[name] = string(tool), true
}

// toolNamed returns the tool of a name in a list, nil if there is none.
func toolNamed(tools ecmajson.Value, name string) ecmajson.Value {
	for tool := range tools.Elements() {
		if tool.Lookup("name").Is(name) {
			return tool
		}
	}
	return nil
}

// value is the history, or the active tools alone while they are others than the
// history makes available. The history is kept, and comes back when they agree again.
func (h *announcedTools) value() ecmajson.Value {
	if h.made == h.changes+1 {
		return h.cached
	}
	h.made = h.changes + 1
	tools, updates := h.baseline, h.updates
	if !h.agrees() {
		tools, updates = h.latest, nil
	}
	if tools == nil {
		tools = noTools
	}
	h.cached = slices.Concat(ecmajson.Value(`{"tools":`), tools, ecmajson.Value(`,"updates":[`), updates, ecmajson.Value(`]}`))
	return h.cached
}

// agrees reports whether the active tools are those that the history makes available.
func (h *announcedTools) agrees() bool {
	if len(h.active) != len(h.available) {
		return false
	}
	return !slices.ContainsFunc(h.active, func(tool ecmajson.Value) bool { return !h.available[nameOf(tool)] })
}

func (h *announcedTools) revision() int { return h.changes }
