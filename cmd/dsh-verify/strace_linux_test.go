package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// traced is a run of each command, OUT being the folder for what it writes.
var traced = []struct {
	args   string
	writes string // the file below OUT that it writes, "" for none
}{
	{"replay LOG", ""},
	{"replay --recorded REC --output json=OUT/a.json LOG", "a.json"},
	{"replay STORE", ""},
	{"replay ZIP", ""},
	{"requests LOG", ""},
	{"show LOG last", ""},
	{"explain LOG last", ""},
	{"diff LOG last", ""},
	{"scan ROOT", ""},
	{"attachments LOG", ""},
	{"formats", ""},
	{"man", ""},
	{"audit LOG", ""},
	{"golden check ROOT", ""},
	{"golden record OUT", "requests.sum"},
	{"cache LOG", ""},
	{"check-upgrade ROOT", ""},
	{"report -o OUT/page.html LOG", "page.html"},
	{"config", ""},
	{"seal -o OUT/log.seal LOG", "log.seal"},
	{"check-seal LOG SEAL", ""},
	{"help", ""},
	{"completion bash", ""},
}

// untraced are the commands that the table lacks: record is a proxy, and opens sockets.
var untraced = []string{"record"}

const calls = "open,openat,openat2,creat,rename,renameat,renameat2,unlink,unlinkat,rmdir,mkdir,mkdirat,link,linkat,symlink,symlinkat," +
	"truncate,ftruncate,chmod,fchmod,fchmodat,chown,fchown,fchownat,utimensat,socket,connect,bind,mknod,mknodat,fsync"

var (
	openCall   = regexp.MustCompile(`\b(?:open|openat|openat2|creat)\((?:AT_FDCWD, )?"([^"]*)", \{?(?:flags=)?([A-Z_|]+)`)
	changeCall = regexp.MustCompile(`\b(rename\w*|unlink\w*|rmdir|mkdir\w*|link\w*|symlink\w*|truncate|chmod|fchmodat|chown|fchownat|utimensat|mknod\w*|creat)\(.*?"([^"]*)"(?:.*?"([^"]*)")?`)
	socketCall = regexp.MustCompile(`\b(socket|connect|bind)\(`)
)

// TestTraces checks by the calls that the kernel sees: a command opens nothing for
// writing but its output, changes no other name, and opens no socket. What it writes
// is synced before it gets its name.
func TestTraces(t *testing.T) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("strace is not installed: apt-get install strace")
	}
	if out, err := exec.Command(strace, "-o", os.DevNull, "true").CombinedOutput(); err != nil {
		t.Skipf("this machine lets nobody trace: %s", out)
	}
	dir := t.TempDir()
	binary := built(t)
	fixture := func(name string) string {
		path, err := filepath.Abs(filepath.Join("../../fixtures", name))
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	seal := filepath.Join(dir, "log.seal")
	if out, err := exec.Command(binary, "seal", "-o", seal, fixture("tools-sequential/session.jsonl")).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, c := range traced {
		out := t.TempDir()
		text, err := os.ReadFile(fixture("tools-sequential/session.jsonl"))
		if err == nil {
			err = os.WriteFile(filepath.Join(out, "session.jsonl"), text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		args := strings.NewReplacer("LOG", fixture("tools-sequential/session.jsonl"), "REC", fixture("tools-sequential/wire"), "STORE", fixture("sqlite-two-sessions/store.db"),
			"ZIP", fixture("export-zip-family/export.zip"), "ROOT", fixture("subagent-linked"), "SEAL", seal, "OUT", out).Replace(c.args)
		trace := filepath.Join(dir, "trace")
		cmd := exec.Command(strace, append([]string{"-f", "-s", "4096", "-e", "trace=" + calls, "-o", trace, binary}, strings.Fields(args)...)...)
		cmd.Dir = out
		said, err := cmd.CombinedOutput()
		if code := cmd.ProcessState.ExitCode(); code < 0 || code == 2 {
			t.Errorf("%s: %v\n%s", c.args, err, said)
			continue
		}
		lines, err := os.ReadFile(trace)
		if err != nil {
			t.Fatal(err)
		}
		run := &tracedRun{t, c.args, out, c.writes}
		run.check(strings.Split(string(lines), "\n"))
	}
}

// A tracedRun is what one run may do.
type tracedRun struct {
	t      *testing.T
	args   string
	out    string // the folder that it may write to
	writes string // the file there, "" for none
}

// check compares the calls of a run with what it may do.
func (r *tracedRun) check(trace []string) {
	r.t.Helper()
	synced, named := false, false
	for _, line := range trace {
		r.opens(line)
		if m := changeCall.FindStringSubmatch(line); m != nil && (!r.allowed(m[2]) || m[3] != "" && !r.allowed(m[3])) {
			r.t.Errorf("%s: changes what is no output: %s", r.args, line)
		}
		if socketCall.MatchString(line) {
			r.t.Errorf("%s: opens a socket: %s", r.args, line)
		}
		synced = synced || strings.Contains(line, "fsync(")
		if strings.Contains(line, "rename") && !synced {
			r.t.Errorf("%s: gives a name to what is not synced: %s", r.args, line)
		}
		named = named || strings.Contains(line, "rename")
	}
	if named != (r.writes != "") {
		r.t.Errorf("%s: wrote a file: %t, expected %q", r.args, named, r.writes)
	}
}

// opens checks that a line of the trace opens nothing for writing but the output.
func (r *tracedRun) opens(line string) {
	r.t.Helper()
	m := openCall.FindStringSubmatch(line)
	if m == nil || r.allowed(m[1]) {
		return
	}
	flags := strings.Split(m[2], "|")
	for _, flag := range []string{"O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC", "O_APPEND"} {
		if slices.Contains(flags, flag) {
			r.t.Errorf("%s: opens for writing: %s", r.args, line)
		}
	}
}

// allowed reports whether the run may write a file: its output, and that under the name
// that it has until it is whole.
func (r *tracedRun) allowed(path string) bool {
	if path == os.DevNull {
		return true
	}
	name := filepath.Base(path)
	whole := path == filepath.Join(r.out, r.writes)
	half := filepath.Dir(path) == r.out && strings.HasPrefix(name, "."+r.writes+".") && strings.HasSuffix(name, ".tmp")
	return r.writes != "" && (whole || half)
}

// TestEveryCommandIsTraced checks that the table has every command.
func TestEveryCommandIsTraced(t *testing.T) {
	have := make(map[string]bool)
	for _, name := range untraced {
		have[name] = true
	}
	for _, c := range traced {
		have[strings.Fields(c.args)[0]] = true
	}
	for _, command := range commands {
		if name := command(&app{}).Name; !have[name] {
			t.Errorf("%s is not traced", name)
		}
	}
}
