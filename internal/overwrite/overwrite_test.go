package overwrite_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/dsh-verify/dsh-verify/internal/overwrite"
)

const (
	aLog    = `{"type":"session","version":0,"id":"a","createdAt":1,"delegationDepth":0}` + "\n"
	aReport = `{"schemaVersion":1,"verdict":"rebuilt","logs":[]}` + "\n"
)

// tree is what the working folder holds: text by path.
var tree = map[string]string{
	"log.jsonl":                   aLog,
	"store.db":                    "SQLite format 3\x00",
	"home/sessions/p/a/x.txt":     "notes\n",
	"home/attachments/v1/objects": "",
	"home/objects/ab/cd":          "pixels\n",
	"home/media/x.png":            "pixels\n",
	"home/wire/index.jsonl":       "{}\n",
	"home/wire/1.json":            "{}\n",
	"home/other.json":             `{"a":1}` + "\n",
	"home/report.json":            aReport,
	"bodies/1.json":               "{}\n",
	"policy.yaml":                 "vocabulary: []\n",
	"elsewhere/log.jsonl":         aLog,
	"elsewhere/other.json":        `{"a":1}` + "\n",
	"elsewhere/report.json":       aReport,
	"recorded.jsonl":              "",
}

func work(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	for path, text := range tree {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestRefuse checks what an output loses to, of a command that reads a log, a store, a
// home, a folder of bodies, a recording and a policy.
func TestRefuse(t *testing.T) {
	work(t)
	var in overwrite.Inputs
	in.Add("bodies", "recorded.jsonl", "")
	in.AddLog("log.jsonl", "policy.yaml")
	in.AddLog("store.db", "")
	in.AddLog("home", "")
	input := func(path string) string { return "would overwrite an input: " + path }
	for _, c := range []struct{ out, want string }{
		{"report.json", ""},
		{"elsewhere/report.json", ""},
		{"home/report.json", ""},
		{"home/new.json", ""},
		{"home/sessions/p/a/x.txt", ""},
		{"no/such/folder.json", ""},
		{"", ""},

		{"log.jsonl", input("log.jsonl")},
		{"./LOG.jsonl", input("log.jsonl")},
		{"home/../log.jsonl", input("log.jsonl")},
		{"policy.yaml", input("policy.yaml")},
		{"recorded.jsonl", input("recorded.jsonl")},
		{"requests.jsonl", input("requests.jsonl")}, // beside a log, there or not
		{"store.db", input("store.db")},
		{"store.db-wal", input("store.db-wal")},
		{"store.db-shm", input("store.db-shm")},
		{"store.db-journal", input("store.db-journal")},
		{"bodies/1.json", input("bodies")},
		{"bodies/2.json", ""},
		{"home/sessions/p/a/session.jsonl", input(".")},
		{"home/sessions/p/a/session.v2.jsonl.zstd", input(".")},
		{"home/sessions/p/a/REQUESTS.jsonl", input(".")},
		{"home/requests.2.sum", input(".")},
		{"home/.dsh-verify.yaml", input(".")},
		{"home/objects/ab/cd", input(".")},
		{"home/media/x.png", input(".")},
		{"home/wire/1.json", input(".")},
		{"elsewhere/other.json", "would overwrite an input: elsewhere/other.json is no report, and lies where the command reads"},
		{"home/other.json", "would overwrite an input: home/other.json is no report, and lies where the command reads"},

		{"elsewhere/log.jsonl", "would overwrite elsewhere/log.jsonl, a session log: name a new file, or remove this one first"},
	} {
		if got := in.Refuse(c.out); got != c.want {
			t.Errorf("%s: %q, want %q", c.out, got, c.want)
		}
	}
}

// TestRefuseLinks checks that a link is what it leads to.
func TestRefuseLinks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a right there")
	}
	work(t)
	var in overwrite.Inputs
	in.AddLog("log.jsonl", "")
	for link, to := range map[string]string{"soft.json": "log.jsonl", "away": "elsewhere"} {
		if err := os.Symlink(to, link); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Link("log.jsonl", "elsewhere/hard.json"); err != nil {
		t.Fatal(err)
	}
	for out, want := range map[string]string{
		"soft.json":           "would overwrite an input: log.jsonl",
		"elsewhere/hard.json": "would overwrite an input: log.jsonl",
		"away/hard.json":      "would overwrite an input: log.jsonl",
		"away/log.jsonl":      "would overwrite away/log.jsonl, a session log: name a new file, or remove this one first",
		"away/new.json":       "",
	} {
		if got := in.Refuse(out); got != want {
			t.Errorf("%s: %q, want %q", out, got, want)
		}
	}
}

// TestNoInputs checks that evidence is kept where a command reads nothing.
func TestNoInputs(t *testing.T) {
	work(t)
	var in overwrite.Inputs
	if got := in.Refuse("log.jsonl"); got == "" {
		t.Error("a log is overwritten")
	}
	if got := in.Refuse("home/other.json"); got != "" {
		t.Error(got)
	}
}
