package logformat

import (
	"strings"
	"testing"
)

// TestVersion3Rules: the loader of format 3 opens a log whose rows do not fit each other; what
// a later release refuses is kept apart.
func TestVersion3Rules(t *testing.T) {
	log := format3()
	for _, list := range [][]laterCase{relationCases, headCases} {
		for _, c := range list {
			edited := strings.Replace(log, c.old, c.new, 1)
			if edited == log {
				t.Errorf("%s: %s is not there", c.rule, c.old)
			}
			if code, later, _ := verdict(edited); code != "" || later != c.want {
				t.Errorf("%s: %s: refused by %q, later %q, want %q", c.rule, c.new, code, later, c.want)
			}
		}
	}
	for _, c := range []laterCase{
		{"V2-15", `"seq":13,"time":1,"data":{"turn":1,"step":2}`, `"seq":13,"time":1,"data":{"turn":1,"step":2},"surfaceOp":"append"`, CodeSurfaceOpLogOnly},
		{"V2-15", `"label":"boats"}`, `"label":"boats"},"surfaceOp":"append"`, CodeSurfaceOpLogOnly},
		{"V2-16", `"startSeq":11`, `"start":11`, CodeSurfaceOpShape},
		{"V2-17", `"sourceEventSeqs":[8]`, `"sourceEventSeqs":[]`, CodeSourcesEmpty},
		{"V2-18", `"sourceEventSeqs":[11]`, `"sourceEventSeqs":[8]`, CodeReplaceSources},
		{"V2-19", `"content":[],"isError":false`, `"content":[],"isError":true`, CodeReplaceToolEdit},
		{"V2-20", `"isSeeded":false`, `"isSeeded":true`, CodeSeedMarker},
		{"V3-02", `"role":"system","source"`, `"role":"system","note":1,"source"`, CodeSystemShape},
		{"V3-02", `{"kind":"plugin","plugin":"prompt"}`, `{"kind":"plugin","plugin":"prompt","form":"snapshot"}`, CodeSystemShape},
		{"V3-02", `"text":"Count the boats."`, `"text":"Count the boats.","note":1`, CodeSystemShape},
		{"V3-08", `"adapterDefaults":{"maxTokens":true}`, `"adapterDefaults":{}`, CodeHeaderEmpty},
		{"V3-09", `"id":"t"}}`, `"id":"t"},"error":{}}`, CodeErrorOnSuccess},
		{"V2-21", `{"type":"text","text":"Two boats."}`, `null`, CodeDataShape},
		{"V2-13", `"lab/novelty","seq":35,"time":1,"data":{},"ignorable":true,"surfaceOp":7`, `"job/settled","seq":35,"time":1,"data":{}`, CodeTypeUnknown},
	} {
		c.check(t, log)
	}
}

// TestVersion2Rules: format 2 is refused by the rules across rows.
func TestVersion2Rules(t *testing.T) {
	for _, c := range append(relationCases,
		laterCase{"V2-16", `"start":11,"end":11}}`, `"startSeq":11,"endSeq":11}}`, CodeSurfaceOpShape},
		laterCase{"V2-43", `"reason":"change"`, `"reason":"continuation"`, CodeHeaderReason},
		laterCase{"V3-08", `"adapterDefaults":{"maxTokens":true}`, `"adapterDefaults":{}`, ""},
		laterCase{"data", `"plan/mode","seq":34,"time":1,"data":{}`, `"plan/mode","seq":34,"time":1,"data":null`, CodeDataShape},
	) {
		c.check(t, format2())
	}
}

// TestLaterTails (V2-10): what closes a turn behind a row that does not decode decides
// whether the log is refused, and that differs by format.
func TestLaterTails(t *testing.T) {
	const good, bad = `{"type":"turn/end","seq":24,"time":1,"data":{"turn":1,"reason":{"kind":"completed"}}}`, `{"type":"turn/end","seq":24,"time":"x"}`
	for _, c := range []struct {
		what, end string
		want      [3]Code // of formats 2, 3 and 4
		events    int64
	}{
		{"a turn/end that does not decode", bad, [3]Code{"", CodeEnvelope, CodeEnvelope}, 24},
		{"a turn/end out of number", strings.Replace(good, "24", "25", 1), [3]Code{CodeSeqGap, CodeSeqGap, CodeSeqGap}, 24},
		{"a turn/end after a line that is no JSON", "{\n" + bad, [3]Code{CodeLineNotJSON, CodeLineNotJSON, CodeLineNotJSON}, 24},
		{"a line that is no JSON", "{", [3]Code{}, 24},
		{"a header with a system prompt in the tail", "{\n" + `{"type":"request/header","data":{"header":{"system":""}}}`, [3]Code{"", CodeHeaderSystem, CodeHeaderSystem}, 24},
	} {
		for i, log := range []string{format2(), format3(), laterRows} {
			edited := strings.Replace(log, good, c.end, 1)
			code, _, events := verdict(edited)
			if code != c.want[i] || code == "" && events != c.events {
				t.Errorf("%s, format %d: %q after %d events, want %q", c.what, i+2, code, events, c.want[i])
			}
		}
	}
}

// TestVersion1: the rows of format 0 under a header of format 1, without what format 0
// upgrades.
func TestVersion1(t *testing.T) {
	header := strings.Replace(plainHeader, `"version":0`, `"version":1`, 1)
	for row1, want := range map[string]Code{
		row(TypeUserMessage, userData, atEnd): "",
		`{"type":"text-chunks","seq0":SEQ,"time0":1,"data":{"turn":1,"step":1,"index":0,"dt":[],"texts":["a"]}}`: "",
		row(TypeTurnStart, `{"turn":1,"trigger":{"kind":"user"}}`, ""):                                           CodeLegacyShape,
		row(TypeUserMessage, `{"content":[],"source":{"kind":"user"}}`, atEnd):                                   CodeLegacyShape,
		row(TypeModeSet, `{}`, ""):                    CodeTypeUnknown,
		row("lab/novelty", `{}`, `,"ignorable":true`): "",
	} {
		_, codes := readLog(header, row1)
		var got Code
		if len(codes) > 0 {
			got = codes[0]
		}
		if got != want {
			t.Errorf("%s: %q, want %q", row1, got, want)
		}
	}
}

// TestOtherPrograms: the first line of another program's log is said to be that.
func TestOtherPrograms(t *testing.T) {
	for line, want := range map[string]Code{
		`{"type":"session","version":3,"id":"x","timestamp":"2026-01-02T03:04:05.678Z","cwd":"/w"}`:                           CodeOtherProgram,
		`{"type":"session_meta","timestamp":"2026-01-02T03:04:05.678Z","payload":{"id":"x"}}`:                                 CodeOtherProgram,
		`{"type":"user","sessionId":"x","uuid":"y","parentUuid":null,"message":{}}`:                                           CodeOtherProgram,
		`{"type":"summary","summary":"Boats","leafUuid":"x"}`:                                                                 CodeOtherProgram,
		`{"type":"session","version":6,"id":"x"}`:                                                                             CodeOtherProgram,
		`{"type":"session","version":6,"id":"x","createdAt":1,"delegationDepth":0}`:                                           CodeVersionNewer,
		`{"type":"session","version":0,"id":"x","delegationDepth":0}`:                                                         CodeHeaderShape,
		`{"type":"session","version":4,"id":"x","createdAt":1,"isSeeded":false,"delegationDepth":0,"timestamp":"2026-01-02"}`: CodeHeaderUnknown,
	} {
		if code, _, _ := verdict(line + "\n"); code != want {
			t.Errorf("%s: %q, want %q", line, code, want)
		}
	}
}
