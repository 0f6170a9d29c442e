package source

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const inStore = "sessions/--home-ada-p--/s/"

// TestFolders has trees that are read alike as folders and packed as archives.
func TestFolders(t *testing.T) {
	for _, c := range []struct {
		name string
		tree tree
		want []string
	}{
		{"a session", files("session.jsonl"), []string{"log session.jsonl"}},
		{"a compressed one", files("session.jsonl.zstd"), []string{"log session.jsonl.zstd"}},
		{"a newer format", files("session.v4.jsonl"), []string{"log session.v4.jsonl"}},
		{
			"generations", files("session.jsonl", "session.v3.jsonl", "session.v4.jsonl"),
			[]string{"log session.v4.jsonl older session.v3.jsonl session.jsonl"},
		},
		{"generations by number", files("session.v9.jsonl", "session.v10.jsonl"), []string{"log session.v10.jsonl older session.v9.jsonl"}},
		{
			"one generation in both encodings", files("session.jsonl", "session.jsonl.zstd"),
			[]string{"log session.jsonl", "log session.jsonl.zstd", "store/two-encodings . (both session.jsonl and session.jsonl.zstd)"},
		},
		{
			"an older generation in the other encoding", files("session.jsonl.zstd", "session.v4.jsonl"),
			[]string{"log session.v4.jsonl older session.jsonl.zstd"},
		},
		{
			"names that are no generation", files("session.v4.jsonl", "session.v05.jsonl", "session.V5.jsonl", "session.v5.jsonl.bak", "session.v0.jsonl", "session.lock"),
			[]string{"log session.v4.jsonl", "store/no-generation . (session.V5.jsonl, session.v0.jsonl, session.v05.jsonl, session.v5.jsonl.bak)"},
		},
		{
			"conflict copies", files("session.v4.jsonl", "session.v4 (Ada's conflicted copy 2026-11-20).jsonl", "session.v4 2.jsonl",
				"session.v4-SHED-PC.jsonl", "session.v4.sync-conflict-20261120-101500-K7QW2ZB.jsonl"),
			[]string{
				"log session.v4.jsonl",
				"store/no-generation . (session.v4 (Ada's conflicted copy 2026-11-20).jsonl, session.v4 2.jsonl, session.v4-SHED-PC.jsonl, session.v4.sync-conflict-20261120-101500-K7QW2ZB.jsonl)",
			},
		},
		{
			"a temporary file", files("session.v4.jsonl", "session.v4.jsonl.0123456789ab.tmp"),
			[]string{"log session.v4.jsonl", "store/leftover session.v4.jsonl.0123456789ab.tmp (session.v4.jsonl.0123456789ab.tmp)"},
		},
		{
			"several sessions", files("a/session.jsonl", "b/session.v3.jsonl", "b/session.jsonl"),
			[]string{"log a/session.jsonl", "log b/session.v3.jsonl older session.jsonl"},
		},
		{
			"a store root", files("sessions/--home-ada-p--/s/session.v4.jsonl", "sessions/--home-ada-p--/s/session.jsonl", "sessions/_no-cwd/t/session.jsonl"),
			[]string{
				"log sessions/--home-ada-p--/s/session.v4.jsonl place --home-ada-p--/s older session.jsonl",
				"log sessions/_no-cwd/t/session.jsonl place _no-cwd/t",
			},
		},
		{
			"ids that are names of folders elsewhere", files("sessions/--p--/attachments/session.jsonl", "sessions/--p--/media/session.jsonl", "sessions/--p--/node_modules/session.jsonl"),
			[]string{
				"log sessions/--p--/attachments/session.jsonl place --p--/attachments",
				"log sessions/--p--/media/session.jsonl place --p--/media",
				"log sessions/--p--/node_modules/session.jsonl place --p--/node_modules",
			},
		},
		{
			"a root in both encodings", files("sessions/--p--/s/session.jsonl", "sessions/--p--/t/session.jsonl.zstd"),
			[]string{
				"log sessions/--p--/s/session.jsonl place --p--/s", "log sessions/--p--/t/session.jsonl.zstd place --p--/t",
				"store/mixed-encodings sessions (session.jsonl and session.jsonl.zstd)",
			},
		},
		{
			"a root in which only an older generation is of the other encoding", files("sessions/--p--/s/session.jsonl", "sessions/--p--/t/session.v4.jsonl", "sessions/--p--/t/session.jsonl.zstd"),
			[]string{
				"log sessions/--p--/s/session.jsonl place --p--/s", "log sessions/--p--/t/session.v4.jsonl place --p--/t older session.jsonl.zstd",
				"store/mixed-encodings sessions (session.jsonl and session.jsonl.zstd)",
			},
		},
		{
			"roots of their own", files("one/--p--/s/session.jsonl", "two/--p--/s/session.jsonl.zstd"),
			[]string{"log one/--p--/s/session.jsonl place --p--/s", "log two/--p--/s/session.jsonl.zstd place --p--/s"},
		},
		{
			"flat files", files("sessions/--p--/old.jsonl", "sessions/--p--/older.jsonl.zstd", "sessions/--p--/notes.txt", "sessions/--p--/s/session.jsonl"),
			[]string{
				"log sessions/--p--/s/session.jsonl place --p--/s",
				"store/flat-file sessions/--p--/old.jsonl (old.jsonl)", "store/flat-file sessions/--p--/older.jsonl.zstd (older.jsonl.zstd)",
			},
		},
		{
			"an id twice", files("sessions/--p--/s/session.jsonl", "sessions/--q--/s/session.jsonl"),
			[]string{
				"log sessions/--p--/s/session.jsonl place --p--/s", "log sessions/--q--/s/session.jsonl place --q--/s",
				"store/duplicate-id sessions/--q--/s (also in sessions/--p--/s)",
			},
		},
		{
			"sessions without a log",
			tree{
				inStore + "session.jsonl":                header,
				"sessions/--p--/empty/":                  "",
				"sessions/--p--/copy/session.v4 2.jsonl": header,
				"sessions/--p--/locked/session.lock":     "",
				"sessions/--p--/old/session.jsonl.bak":   header,
			},
			[]string{
				"log " + inStore + "session.jsonl place --home-ada-p--/s",
				"absent sessions/--p--/copy store/no-log", "absent sessions/--p--/empty store/no-log",
				"absent sessions/--p--/locked store/no-log", "absent sessions/--p--/old store/no-log",
			},
		},
		{
			"a placeholder", files("sessions/--p--/s/.session.v4.jsonl.icloud", "sessions/--p--/t/session.v4.jsonl"),
			[]string{"log sessions/--p--/t/session.v4.jsonl place --p--/t", "absent sessions/--p--/s store/placeholder"},
		},
		{
			"a placeholder of the newest generation", files("a/session.jsonl", "b/.session.v4.jsonl.icloud", "b/session.v3.jsonl"),
			[]string{"log a/session.jsonl", "absent b store/placeholder older session.v3.jsonl"},
		},
		{
			"a placeholder of an older generation", files("session.v4.jsonl", ".session.v3.jsonl.icloud"),
			[]string{"log session.v4.jsonl older .session.v3.jsonl.icloud"},
		},
		{
			"a placeholder that was downloaded", files("session.v4.jsonl", ".session.v4.jsonl.icloud"),
			[]string{"log session.v4.jsonl", "store/leftover .session.v4.jsonl.icloud (.session.v4.jsonl.icloud)"},
		},
		{
			"an export", files("session.v4.jsonl", "subagents/x/session.v4.jsonl", "subagents/y/session.v4.jsonl", "media/sha256:00.png"),
			[]string{"log session.v4.jsonl leads images", "log subagents/x/session.v4.jsonl follows images", "log subagents/y/session.v4.jsonl follows images"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "place")
			c.tree.write(t, dir)
			if diff := cmp.Diff(c.want, at(t, dir)); diff != "" {
				t.Errorf("as a folder: %s", diff)
			}
			packed := filepath.Join(t.TempDir(), "place.zip")
			c.tree.pack(t, packed)
			if diff := cmp.Diff(c.want, withoutImages(c.want, at(t, packed))); diff != "" {
				t.Errorf("packed: %s", diff)
			}
		})
	}
}

// withoutImages takes off what only an archive says: that an export's images are in
// it, if there are none too.
func withoutImages(want, got []string) []string {
	for i := range got {
		if i < len(want) && !strings.HasSuffix(want[i], " images") {
			got[i] = strings.TrimSuffix(got[i], " images")
		}
	}
	return got
}

// TestNoLog has places in which nothing is read, and what is said of them.
func TestNoLog(t *testing.T) {
	for _, c := range []struct {
		name string
		tree tree
		arg  string
		want []string
	}{
		{"nothing", tree{"x/": ""}, "", []string{"input/no-session ."}},
		{"no generation", files("session.V4.jsonl"), "", []string{"store/no-generation . (session.V4.jsonl)", "input/no-session ."}},
		{"an empty session's folder", tree{inStore: ""}, inStore, []string{"absent . store/no-log", "input/no-session ."}},
		{"a root of empty folders", tree{inStore: ""}, "", []string{"absent sessions/--home-ada-p--/s store/no-log", "input/no-session ."}},
		{"a placeholder", files(inStore + ".session.jsonl.zstd.icloud"), inStore, []string{"absent . store/placeholder"}},
	} {
		dir := t.TempDir()
		c.tree.write(t, dir)
		if diff := cmp.Diff(c.want, at(t, filepath.Join(dir, filepath.FromSlash(c.arg)))); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
		if c.arg != "" {
			continue
		}
		packed := filepath.Join(dir, "packed.zip")
		c.tree.pack(t, packed)
		got := at(t, packed)
		if len(c.want) == 1 {
			c.want = []string{"error zip/no-session"}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s, packed: %s", c.name, diff)
		}
	}
}

// TestNamedFile checks that a file that is named is read whatever lies beside it, and
// that a newer generation beside it is named.
func TestNamedFile(t *testing.T) {
	for _, c := range []struct {
		names []string
		arg   string
		newer string
	}{
		{[]string{"session.jsonl"}, "session.jsonl", ""},
		{[]string{"session.jsonl", "session.v4.jsonl"}, "session.jsonl", "session.v4.jsonl"},
		{[]string{"session.jsonl", "session.v3.jsonl.zstd", "session.v4.jsonl.zstd"}, "session.v3.jsonl.zstd", "session.v4.jsonl.zstd"},
		{[]string{"session.jsonl", "session.v4.jsonl"}, "session.v4.jsonl", ""},
		{[]string{"session.jsonl", "session.jsonl.zstd"}, "session.jsonl", ""},
		{[]string{"session.jsonl", ".session.v4.jsonl.icloud"}, "session.jsonl", ".session.v4.jsonl.icloud"},
		{[]string{"session.jsonl", "session.v04.jsonl"}, "session.jsonl", ""},
		{[]string{"copy.jsonl", "session.v4.jsonl"}, "copy.jsonl", ""},
		{[]string{"session.v04.jsonl", "session.v4.jsonl"}, "session.v04.jsonl", ""},
	} {
		dir := t.TempDir()
		files(c.names...).write(t, dir)
		p, err := Find(filepath.Join(dir, c.arg), Spooled{})
		if err != nil || len(p.Logs) != 1 {
			t.Fatal(err, p)
		}
		if p.Logs[0].Newer != c.newer {
			t.Errorf("%v: %s: newer is %q", c.names, c.arg, p.Logs[0].Newer)
		}
	}
}

// odd are names that a shell, a pattern or a URL reads otherwise.
var odd = []string{"export[1]", "[", "[a-z]", "what*", "who?", `back\slash`, "{a,b}", "%5B", "~", "$HOME", "# 1", "é ü", "-x", "a\nb", "\xff"}

// TestOddNames checks that no path is a pattern, whatever it is called: in a folder
// that is named, in a root, and where a parent is looked for.
func TestOddNames(t *testing.T) {
	for _, name := range odd {
		dir := filepath.Join(t.TempDir(), name)
		root := filepath.Join(dir, "sessions")
		if err := os.MkdirAll(filepath.Join(root, "--p--", "s"), 0o755); err != nil {
			t.Logf("%q: %v", name, err)
			continue
		}
		files("--p--/s/session.v4.jsonl", "--p--/s/session.jsonl").write(t, root)
		want := []string{"log sessions/--p--/s/session.v4.jsonl place --p--/s older session.jsonl"}
		if diff := cmp.Diff(want, at(t, dir)); diff != "" {
			t.Errorf("%q: %s", name, diff)
		}
		if l := InRoot(root, "s"); l == nil || filepath.Base(l.Name) != "session.v4.jsonl" {
			t.Errorf("%q: the session is not found by its id", name)
		}
	}
}

// TestInRoot checks that a session is found by its id where one folder alone has it,
// and that an id is no pattern.
func TestInRoot(t *testing.T) {
	root := t.TempDir()
	files("--p--/one/session.jsonl", "--p--/one/session.v4.jsonl", "--p--/two/session.jsonl", "--q--/two/session.jsonl",
		"--p--/none/session.V4.jsonl", "--p--/a~005B1~005D/session.jsonl", "--p--/session.jsonl", "--q--/both/session.jsonl", "--q--/both/session.jsonl.zstd").write(t, root)
	for _, c := range []struct{ id, want string }{
		{"one", "--p--/one/session.v4.jsonl"},
		{"two", ""},  // not unique
		{"none", ""}, // no generation
		{"a[1]", "--p--/a~005B1~005D/session.jsonl"},
		{"both", "--q--/both/session.jsonl"},
		{"o*", ""},
		{"on?", ""},
		{"[o]ne", ""},
		{"..", ""},
		{".", ""},
		{"", ""},
		{"absent", ""},
	} {
		got := ""
		if l := InRoot(root, c.id); l != nil {
			rel, _ := filepath.Rel(root, l.Name)
			got = filepath.ToSlash(rel)
		}
		if got != c.want {
			t.Errorf("%q: %q", c.id, got)
		}
	}
	if InRoot(filepath.Join(root, "nowhere"), "one") != nil {
		t.Error("found in a root that is not there")
	}
}

// TestLinks checks that links to files are read and links to folders are named, and
// that a log's name counts wherever it leads: the harness opens what has that name.
func TestLinks(t *testing.T) {
	for _, c := range []struct {
		name string
		tree tree
		want []string
	}{
		{"a link to a log", tree{"real/a.jsonl": header, "s/session.v4.jsonl": "->../real/a.jsonl", "s/session.jsonl": header}, []string{"log s/session.v4.jsonl older session.jsonl"}},
		{"a link to nowhere", tree{"s/session.v4.jsonl": "->nowhere", "s/session.jsonl": header}, []string{"log s/session.v4.jsonl older session.jsonl"}},
		{"a link to a folder", tree{"s/session.jsonl": header, "t": "->s"}, []string{"log s/session.jsonl", "input/link . (1)"}},
		{"a folder under a log's name", tree{inStore + "session.v4.jsonl/": "", inStore + "session.jsonl": header}, []string{"log " + inStore + "session.v4.jsonl place --home-ada-p--/s older session.jsonl"}},
	} {
		dir := filepath.Join(t.TempDir(), "place")
		c.tree.write(t, dir)
		if diff := cmp.Diff(c.want, at(t, dir)); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

// TestArchiveAmongFolders holds what is found in archives that lie in a folder.
func TestArchiveAmongFolders(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "place")
	files("own/session.jsonl").write(t, dir)
	files("session.v4.jsonl", "session.v3.jsonl").pack(t, filepath.Join(dir, "export.zip"))
	files("sessions/--p--/s/session.v04.jsonl", "sessions/--p--/t/session.jsonl").pack(t, filepath.Join(dir, "home.zip"))
	files("sessions/--p--/u/.session.v4.jsonl.icloud").pack(t, filepath.Join(dir, "placeholders.zip"))
	files("session.V4.jsonl").pack(t, filepath.Join(dir, "renamed.zip"))
	files("readme.txt").pack(t, filepath.Join(dir, "other.zip"))
	want := []string{
		"log export.zip/session.v4.jsonl older session.v3.jsonl images", "log home.zip/sessions/--p--/t/session.jsonl place --p--/t", "log own/session.jsonl",
		"absent home.zip/sessions/--p--/s store/no-log", "absent placeholders.zip/sessions/--p--/u store/placeholder",
		"store/no-generation renamed.zip (session.V4.jsonl)",
	}
	if diff := cmp.Diff(want, at(t, dir)); diff != "" {
		t.Error(diff)
	}
}

// TestUnreadableSession checks that a session's folder that cannot be opened counts.
func TestUnreadableSession(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "place")
	files("sessions/--p--/s/session.jsonl", "sessions/--p--/t/session.jsonl").write(t, dir)
	closed := filepath.Join(dir, "sessions", "--p--", "t")
	if err := os.Chmod(closed, 0); err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { os.Chmod(closed, 0o755) })
	if _, err := os.ReadDir(closed); err == nil {
		t.Skip("this user may open any folder")
	}
	want := []string{"log sessions/--p--/s/session.jsonl place --p--/s", "absent sessions/--p--/t input/unreadable"}
	if diff := cmp.Diff(want, at(t, dir)); diff != "" {
		t.Error(diff)
	}
}

// TestManySessions checks that every folder of a large root is counted.
func TestManySessions(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "place")
	all := make(tree)
	for i := range 300 {
		name := path.Join("sessions", fmt.Sprintf("--p%d--", i%7), fmt.Sprintf("s%d", i))
		switch i % 3 {
		case 0:
			all[name+"/session.jsonl"] = header
		case 1:
			all[name+"/session.v4.jsonl"], all[name+"/session.jsonl"] = header, header
		default:
			all[name+"/"] = ""
		}
	}
	all.write(t, dir)
	p, err := Find(dir, Spooled{})
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Logs) != 200 || len(p.Absent) != 100 {
		t.Errorf("%d logs, %d without", len(p.Logs), len(p.Absent))
	}
}
