package goldencheck

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/dsh-verify/dsh-verify/internal/regular"
	"github.com/dsh-verify/dsh-verify/logformat"
	"github.com/dsh-verify/dsh-verify/logformat/container/authored"
)

// A folder opens the files of one folder, as they are or as they were. The error
// is fs.ErrNotExist for one that is not there.
type folder func(name string) (io.ReadCloser, error)

func onDisk(dir string) folder {
	return func(name string) (io.ReadCloser, error) {
		return regular.Open(filepath.Join(dir, name))
	}
}

// atRevision reads the folder's files from a git revision.
func atRevision(dir, revision string) folder {
	return func(name string) (io.ReadCloser, error) {
		out, err := git(dir, "show", revision+":./"+name)
		if _, ok := errors.AsType[*exec.ExitError](err); ok {
			return nil, fs.ErrNotExist
		}
		return io.NopCloser(bytes.NewReader(out)), err
	}
}

// checkRevision checks that git knows the revision.
func checkRevision(dir, revision string) error {
	if strings.HasPrefix(revision, "-") {
		return errors.New(revision + " is no git revision")
	}
	_, err := git(dir, "rev-parse", "--verify", "--quiet", revision+"^{tree}")
	if _, ok := errors.AsType[*exec.ExitError](err); ok {
		return errors.New(dir + ": " + revision + " is neither a folder nor a git revision here")
	}
	return err
}

func git(dir string, args ...string) ([]byte, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if errors.Is(err, exec.ErrNotFound) {
		return nil, errors.New("--against a revision needs git, which is not installed")
	}
	return out, err
}

// An opened log is ready to be read.
type opened struct {
	reader   *logformat.Reader
	authored *authored.Log // nil: a complete log
	closer   io.Closer
}

// open opens a log, completing it when it is authored and that is accepted.
func open(in folder, name string, accept bool, opts logformat.Options) (*opened, error) {
	opts.FileName = name
	file, err := in(name)
	if err != nil {
		return nil, err
	}
	if !accept || !strings.HasSuffix(name, ".jsonl") {
		return &opened{logformat.NewReader(file, opts), nil, file}, nil
	}
	opts.Again = func() (io.ReadCloser, error) { return in(name) }
	buffered := bufio.NewReaderSize(file, 64<<10)
	start, _ := buffered.Peek(1)
	if string(start) != "{" { // compressed, or nothing that could be authored
		return &opened{logformat.NewReader(buffered, opts), nil, file}, nil
	}
	first, err := buffered.ReadBytes('\n')
	var second []byte
	if err == nil {
		second, err = buffered.ReadBytes('\n')
	}
	if err != nil && !errors.Is(err, io.EOF) {
		file.Close()
		return nil, err
	}
	all := io.MultiReader(bytes.NewReader(first), bytes.NewReader(second), buffered)
	if !authored.Is(first, second) {
		return &opened{logformat.NewReader(all, opts), nil, file}, nil
	}
	defer file.Close()
	return complete(in, name, all, opts)
}

func complete(in folder, name string, src io.Reader, opts logformat.Options) (*opened, error) {
	text, err := io.ReadAll(src)
	if err != nil {
		return nil, err
	}
	var side authored.Sidecars
	tools, system := authored.SidecarNames(name)
	if side.Tools, err = sidecar(in, tools); err != nil {
		return nil, err
	}
	if side.System, err = sidecar(in, system); err != nil {
		return nil, err
	}
	log, err := authored.Complete(text, side)
	if err != nil {
		return nil, err
	}
	opts.Again = nil
	return &opened{logformat.NewReader(bytes.NewReader(log.Text), opts), log, io.NopCloser(nil)}, nil
}

// sidecar reads a sidecar; nil when there is none.
func sidecar(in folder, name string) ([]byte, error) {
	if name == "" {
		return nil, nil
	}
	file, err := in(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, errors.New(name + ": " + reason(err))
	}
	defer file.Close()
	text, err := io.ReadAll(file)
	if text == nil {
		text = []byte{}
	}
	return text, err
}
