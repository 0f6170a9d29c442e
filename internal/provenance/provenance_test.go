package provenance_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dsh-verify/dsh-verify/internal/logtext"
	"github.com/dsh-verify/dsh-verify/internal/provenance"
	"github.com/dsh-verify/dsh-verify/reconstruct"
)

// accounts returns the account of each request of a log.
func accounts(t *testing.T, notation string) (list []*provenance.Account) {
	t.Helper()
	r := logtext.New(t, notation).Reader()
	header, err := r.Header()
	if err != nil {
		t.Fatal(err)
	}
	history := provenance.NewHistory()
	for q, err := range reconstruct.NewSession(header, reconstruct.Options{}).Requests(r) {
		if err != nil {
			t.Fatal(err)
		}
		history.See(q)
		list = append(list, history.Account(q, "in words"))
	}
	return list
}

// tell is an account, a line a part.
func tell(a *provenance.Account) (lines []string) {
	for _, p := range a.Parts {
		line := fmt.Sprintf("%s seq %d line %d", p.Pointer, p.Seq, p.Line)
		if p.Source != "" {
			line += " by " + p.Source
		}
		if p.Since != "" {
			line += " since " + p.Since
		}
		lines = append(lines, line+": "+p.How)
	}
	return lines
}

const compacted = `
	turn 1
	step 1.1
	q: user "hi"
	header one system="S" tools=[{"name":"t"}] reason="initial"
	chunk "yo"
	a: assistant "yo"
	r: result c1 "seen"
	step end
	turn end
	turn 2
	compaction start
	compaction summary q..r
	user "so far" over q..r
	compaction end
	step 2.1
	user "more"
	header two system="S" reason="change"
	chunk "yo"`

// TestParts holds where each part of a request came from.
func TestParts(t *testing.T) {
	list := accounts(t, compacted)
	want := [][]string{
		{
			`/provider seq 3 line 5: snapshot (initial), the first that a request used`,
			`/model seq 3 line 5: snapshot (initial), the first that a request used`,
			`/messages/0 seq 2 line 4 by user since 1.1.1: appended`,
			`/system seq 3 line 5: snapshot (initial), the first that a request used`,
			`/tools seq 3 line 5: snapshot (initial), the first that a request used`,
			`/sessionId seq -1 line 1: the session's own id, from the log's header line`,
		},
		{
			`/provider seq 16 line 18: snapshot (change), changed config, tools against seq 3`,
			`/model seq 16 line 18: snapshot (change), changed config, tools against seq 3`,
			`/messages/0 seq 12 line 14 by user since 2.1.1: compaction put it in the place of 3 events, seq 2 to 6 in surface order`,
			`/messages/1 seq 15 line 17 by user since 2.1.1: appended`,
			`/system seq 16 line 18: snapshot (change), changed config, tools against seq 3`,
			`/sessionId seq -1 line 1: the session's own id, from the log's header line`,
		},
	}
	if len(list) != len(want) {
		t.Fatalf("%d requests", len(list))
	}
	for i, a := range list {
		if got := tell(a); !slices.Equal(got, want[i]) {
			t.Errorf("request %s:\n got %s\nwant %s", a.Request, strings.Join(got, "\n     "), strings.Join(want[i], "\n     "))
		}
	}
}

// TestSince: a message is since the first request that held it, and each message of a fork
// since the fork's own.
func TestSince(t *testing.T) {
	for _, c := range []struct{ name, log, want string }{
		{"it stays", "turn 1\nstep 1.1\nuser \"a\"\nheader m\nchunk\nassistant \"b\"\nstep end\nturn end\nturn 2\nstep 2.1\nuser \"c\"\nchunk", "1.1.1 2.1.1 2.1.1"},
		{"inherited", "log parent=\"p\" seed=8\nturn 1\nstep 1.1\nuser \"a\"\nheader m\nchunk\nassistant \"b\"\nstep end\nturn end\nend-seed\nturn 2\nstep 2.1\nuser \"c\"\nchunk", "2.1.1 2.1.1 2.1.1"},
	} {
		list := accounts(t, c.log)
		var got []string
		for _, p := range list[len(list)-1].Parts {
			if p.Since != "" {
				got = append(got, p.Since)
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %v, want %s", c.name, got, c.want)
		}
	}
}

// TestAt finds parts by pointer and by byte.
func TestAt(t *testing.T) {
	a := accounts(t, compacted)[0]
	for _, c := range []struct{ pointer, want string }{
		{"/messages/0", "/messages/0"}, {"/messages/0/content/0/text", "/messages/0"}, {"/tools/0/name", "/tools"}, {"/messages/01", ""}, {"/", ""}, {"/toolsmith", ""},
	} {
		p, ok := a.At(c.pointer)
		if p.Pointer != c.want || ok != (c.want != "") {
			t.Errorf("%s is in %q, want %q", c.pointer, p.Pointer, c.want)
		}
	}
	for _, p := range a.Parts {
		for _, offset := range []int64{p.Start, p.End - 1} {
			if got, ok := a.AtByte(offset); !ok || got.Pointer != p.Pointer {
				t.Errorf("byte %d is in %q, want %s", offset, got.Pointer, p.Pointer)
			}
		}
	}
	if _, ok := a.AtByte(0); ok {
		t.Error("the first brace is a part")
	}
}
