package locate

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/dsh-verify/dsh-verify/logformat"
)

// A Log is one session's log, found but not yet read.
type Log struct {
	Name string // how reports call it: the argument, and what inside it
	// Recording is the path of a requests.jsonl beside the log, "" when there is none.
	Recording string
	// Dir is the folder that the log lies in, "" when it lies in none.
	Dir string
	// Once says that the log can be opened only once: standard input, a pipe.
	Once bool
	open func() (io.ReadCloser, error)
}

// Open opens the log for reading. Logs from standard input and pipes open once.
func (l *Log) Open(opts logformat.Options) (*logformat.Reader, io.Closer, error) {
	src, err := l.open()
	if err != nil {
		return nil, nil, err
	}
	return logformat.NewReader(src, opts), src, nil
}

// Find returns the logs that an argument names, in report order.
func Find(arg string, stdin io.Reader) ([]*Log, error) {
	if arg == "-" {
		return []*Log{{Name: "-", Once: true, open: func() (io.ReadCloser, error) { return io.NopCloser(stdin), nil }}}, nil
	}
	info, err := os.Stat(arg)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return inFolder(arg)
	}
	return []*Log{fileLog(arg)}, nil
}

func fileLog(path string) *Log {
	dir := filepath.Dir(path)
	l := &Log{Name: path, Dir: dir, open: func() (io.ReadCloser, error) { return os.Open(path) }}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		l.Once = true
	}
	if recording := filepath.Join(dir, "requests.jsonl"); isFile(recording) {
		l.Recording = recording
	}
	return l
}

func inFolder(dir string) ([]*Log, error) {
	for _, name := range []string{"session.jsonl", "session.jsonl.zstd"} {
		if path := filepath.Join(dir, name); isFile(path) {
			return []*Log{fileLog(path)}, nil
		}
	}
	return nil, fmt.Errorf("%s: no session.jsonl or session.jsonl.zstd in this folder", dir)
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
