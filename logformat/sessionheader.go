package logformat

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

// A SessionHeader is the log's first line.
type SessionHeader struct {
	Version         *Version
	ID              string // WTF-8: may hold lone surrogates
	CreatedAt       int64  // milliseconds since the Unix epoch
	Cwd             string
	HasCwd          bool
	ParentSession   string
	HasParent       bool
	SeedLength      int64 // events inherited from the parent; 0 when absent
	HasSeedLength   bool
	Origin          string // "" or "subagent"
	DelegationDepth int64
	AgentPreset     string
	Line            []byte        // the line's own bytes, without its line feed
	Form            ecmajson.Form // of the line
	Unknown         []string      // keys that the format does not know; the harness drops them
}

// Format returns the number of the log's format, to be printed: what differs between
// formats is asked of nothing by its number.
func (h *SessionHeader) Format() int64 { return h.Version.Number }

// parseHeader reads the first line of a log in a file of that name. late is a fault
// that the harness finds only after the lines and events were read; refusal decides
// at once.
func parseHeader(line []byte, fileName string) (h *SessionHeader, late, refusal *Refusal) {
	pos := Position{Line: 1}
	fault := func(code Code, phase Phase, detail string) *Refusal {
		return &Refusal{Code: code, Phase: phase, Pos: pos, Seq: -1, Detail: detail}
	}
	if strings.HasPrefix(string(line[:min(3, len(line))]), "\xef\xbb\xbf") {
		return nil, nil, fault(CodeHeaderBOM, PhaseHeader, "")
	}
	h = &SessionHeader{Version: Version0, Line: append([]byte(nil), line...)}
	canonical, form, err := ecmajson.Canonical(h.Line)
	if err != nil {
		return nil, nil, fault(CodeHeaderNotJSON, PhaseHeader, err.Error())
	}
	h.Form = form
	v := ecmajson.Value(canonical)
	raw := trimSpace(h.Line)
	if version := v.Lookup("version"); version.Kind() == ecmajson.Number || isOverflow(raw, "version") {
		n, _ := version.Float()
		if isOverflow(raw, "version") {
			n = math.Inf(1)
		}
		if detail := otherGeneration(fileName, n, string(ecmajson.Value(raw).Lookup("version"))); detail != "" {
			return nil, nil, fault(CodeHeaderGeneration, PhaseVersion, detail)
		}
		switch {
		case n > float64(Version0.Number):
			return nil, nil, fault(CodeVersionNewer, PhaseVersion, "the header says version "+string(version))
		case n < float64(Version0.Number):
			return nil, nil, fault(CodeVersionOlder, PhaseVersion, "the header says version "+string(version))
		}
	}
	if detail := h.parseShape(v, raw); detail != "" {
		return nil, nil, fault(CodeHeaderShape, PhaseHeader, detail)
	}
	for _, key := range []string{"sandboxMode", "approvalPolicy"} {
		if v.Lookup(key) != nil {
			return nil, nil, fault(CodeHeaderRetired, PhaseHeader, strconv.Quote(key))
		}
	}
	if code, detail := h.parseLate(v, raw); code != "" {
		late = fault(code, PhaseHeaderLate, detail)
	}
	return h, late, nil
}

// otherGeneration says how the version of a file's name differs from the header's,
// "" where it does not. A name without a version is that of format 0, whose releases
// know no other name: they see only that the version is newer.
func otherGeneration(fileName string, version float64, text string) string {
	stated, compressed, ok := ParseFileName(fileName)
	if !ok || stated == 0 || float64(stated) == version {
		return ""
	}
	detail := fmt.Sprintf("the name says format %d and the header says version %s", stated, text)
	if version >= 0 && version <= maxGeneration && version == math.Trunc(version) {
		detail += "; its own name would be " + FileName(int64(version), compressed)
	}
	return detail
}

func trimSpace(line []byte) []byte {
	return []byte(strings.Trim(string(line), " \t\r\n"))
}

// isAbsolute accepts what is absolute on any platform that the harness runs on:
// a log is often verified on another one.
func isAbsolute(path string) bool {
	if strings.HasPrefix(path, "/") || strings.HasPrefix(path, `\`) {
		return true
	}
	return len(path) >= 3 && path[1] == ':' && (path[2] == '\\' || path[2] == '/') &&
		(path[0]|0x20) >= 'a' && (path[0]|0x20) <= 'z'
}
