package recordingtest

import (
	"bufio"
	"encoding/json"
	"io"
	"os/exec"
	"testing"
)

// A script is the judge in JavaScript, a process that answers a line for each mutant.
type script struct {
	in  io.Writer
	out *bufio.Scanner
}

// startScript starts the judge in JavaScript; nil where there is no Node.
func startScript(t *testing.T, bases []*base) *script {
	node, err := exec.LookPath("node")
	if err != nil {
		return nil
	}
	cmd := exec.Command(node, "testdata/judge.mjs")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Skipf("node does not start: %v", err)
	}
	t.Cleanup(func() {
		in.Close()
		cmd.Wait()
	})
	s := &script{in, bufio.NewScanner(out)}
	s.send(t, bases)
	return s
}

func (s *script) send(t *testing.T, v any) {
	line, err := json.Marshal(v)
	if err == nil {
		_, err = s.in.Write(append(line, '\n'))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// judge returns why a mutant is not what was recorded, "" when it is, or when there is
// no Node.
func (s *script) judge(t *testing.T, m *mutant) string {
	if s == nil {
		return ""
	}
	s.send(t, m)
	if !s.out.Scan() {
		t.Fatalf("the judge in JavaScript ended: %v", s.out.Err())
	}
	var why string
	if err := json.Unmarshal(s.out.Bytes(), &why); err != nil {
		t.Fatalf("%v: %s", err, s.out.Bytes())
	}
	return why
}
