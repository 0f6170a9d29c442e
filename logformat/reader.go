package logformat

import (
	"bufio"
	"cmp"
	"errors"
	"io"
	"iter"
	"runtime"
	"slices"

	"github.com/dsh-verify/dsh-verify/logformat/ecmajson"
)

// Options adjust how a log is read. The zero value reads as the harness does.
type Options struct {
	// KnownTypes admits event types of third-party plugins as log-only types.
	KnownTypes []string
	// StorePath is the slash-separated folder below a store root in which the log
	// was found. When set, the header's id and cwd must derive it.
	StorePath string
	// SamePlace, when set, reports whether another folder below the store root is the
	// one that the log lies in: a link to it, or another spelling where case does not count.
	SamePlace func(storePath string) bool
	// FileName is the name of the log's file. Where it is one that the harness gives,
	// the log must be stored as it says, and the header's version must be the one that
	// it states; any other says nothing.
	FileName string
	// MaxSize limits the decoded length in bytes; 0 means no limit.
	MaxSize int64
	// Shape names the shape of requests where a log does not tell which of those of its
	// format its writer sent; "" leaves it open. A sign of the log goes before it.
	Shape string
	// Again, when set, opens the log from its start again. A source that is an io.Seeker
	// does without. A log of a seeded session has to be read twice: see [ErrNotAgain].
	Again func() (io.ReadCloser, error)
}

// Encoding is how a log's text is stored.
type Encoding string

// The encodings.
const (
	Plain     Encoding = "jsonl"
	Zstandard Encoding = "jsonl.zstd"
	SQLite    Encoding = "sqlite" // rows of a store; the text is put together from them
)

// A Reader reads one log. Create it with [NewReader]; a reader that failed
// stays failed.
type Reader struct {
	opts     Options
	version  *Version
	rules    rules // of the version, for this log
	encoding Encoding
	zstd     *zstdSource
	ahead    *aheadSource
	rows     RowSource // in place of text, or nil
	lines    *lineSplitter

	header   *SessionHeader
	misnamed bool     // stored otherwise than its name says
	other    *Refusal // of what other kind the file seems to be; nil: of none
	opened   bool
	err      error // of opening, or of the input

	faults  faults
	ended   bool                          // no further record is yielded; lines are still checked
	settled bool                          // no line can change the verdict any more; frames still can
	later   *Refusal                      // what a later release will refuse
	again   func() (io.ReadCloser, error) // reads the log from its start; nil: it cannot be
	looking bool                          // only to find what another reader needs
	issue   *Refusal                      // the first line fault, which a later turn/end makes a refusal
	strict  bool                          // the current line is inside complete Zstandard frames
	nextSeq int64
	tail    *Tail
	stats   Stats

	record    Record
	event     Event
	row       ChunkRow
	scalar    envelope // of a row that is one event
	index     ecmajson.Index
	canonical []byte
	// upgradeIndex is the index of data that were changed.
	upgradeIndex ecmajson.Index
	types        map[string]*typeRules // by quoted name, those that were seen
}

// Stats counts what was read.
type Stats struct {
	Lines        int64 // complete lines, the header included
	Events       int64 // events taken, members of rows counted
	Rows         int64 // packed chunk rows
	Bytes        int64 // of decoded text
	Frames       int   // Zstandard frames, the torn one included
	NoChecksum   int   // complete frames without a content checksum
	InvalidUTF8  int64 // lines that lost bytes to U+FFFD
	NonCanonical int64 // lines whose bytes JSON.stringify would not print
	Upgraded     int64 // events of a legacy shape
	Ignored      int64 // events of unknown types, marked ignorable
	Admitted     int64 // events of types admitted by Options
}

// A Tail is what follows the last trustworthy record: nothing of it is an event.
type Tail struct {
	Pos    Position // of the first line that was not taken
	Bytes  int64    // decoded bytes from there on
	Cause  *Refusal // the line fault that began it; nil for an unterminated line or a torn frame
	Frame  *TornFrame
	Events int64 // events recovered from the torn frame before the tail
}

// NewReader returns a reader of the log in src. Whether it is plain text or
// Zstandard is recognised by its first bytes.
func NewReader(src io.Reader, opts Options) *Reader {
	again := startAgain(src, opts)
	in := bufio.NewReaderSize(src, lookAhead) // small, as many logs may be
	r := newReader(opts)
	r.again = again
	head, _ := in.Peek(4)
	start, _ := in.Peek(min(in.Buffered(), lookAhead)) // what is there: nobody waits for more
	r.other = OtherFile(start)
	if r.setEncoding(head) == Zstandard {
		r.zstd = newZstdSource(bufio.NewReaderSize(in, 256<<10))
		r.ahead = &aheadSource{src: r.zstd}
		r.lines.src = r.ahead
		// A reader that is dropped before its end must not leave a goroutine.
		runtime.AddCleanup(r, (*aheadSource).close, r.ahead)
	} else {
		r.lines.src = &plainSource{in: in}
	}
	return r
}

// A RowSource yields the lines of a log that is stored as rows. Next returns a
// line without line feed, valid until the next call; or the fault of a row that
// gives none, which counts as a line that does not parse; or io.EOF.
type RowSource interface {
	Next() (text []byte, fault *Refusal, err error)
}

// NewRowReader returns a reader of a log that is stored as rows: the first is
// the header line. The rules of plain text hold, and every row is complete.
func NewRowReader(rows RowSource, encoding Encoding, opts Options) *Reader {
	r := newReader(opts)
	r.encoding, r.rows = encoding, rows
	return r
}

func newReader(opts Options) *Reader {
	r := &Reader{
		opts: opts, encoding: Plain, types: make(map[string]*typeRules),
		lines: &lineSplitter{limit: opts.MaxSize},
	}
	return r
}

// setVersion begins to read by the rules of a version.
func (r *Reader) setVersion(v *Version) {
	r.version, r.rules = v, v.begin(r)
}

// Header reads the first line. The error is a *[Refusal] or a failure to read.
func (r *Reader) Header() (*SessionHeader, error) {
	if !r.opened {
		r.opened = true
		r.err = r.openHeader()
		if _, refused := errors.AsType[*Refusal](r.err); refused && r.other != nil {
			r.faults = faults{}
			r.err = r.faults.add(r.other)
		}
	}
	if r.header == nil {
		return nil, r.err
	}
	return r.header, nil
}

// Records yields the log's records in order, then a *[Refusal] if the log is
// refused, or another error if it could not be read. Breaking off the iteration
// leaves the reader where it is: a later iteration goes on from there.
func (r *Reader) Records() iter.Seq2[*Record, error] {
	return func(yield func(*Record, error) bool) {
		for {
			rec, err := r.Next()
			if errors.Is(err, io.EOF) {
				return
			}
			if !yield(rec, err) || err != nil {
				return
			}
		}
	}
}

// Events is Records with the members of chunk rows as events.
func (r *Reader) Events() iter.Seq2[*Event, error] {
	return func(yield func(*Event, error) bool) {
		for rec, err := range r.Records() {
			if err != nil {
				yield(nil, err)
				return
			}
			for event := range rec.Events() {
				if !yield(event, nil) {
					return
				}
			}
		}
	}
}

// Next returns the next record. io.EOF ends an accepted log.
func (r *Reader) Next() (*Record, error) {
	if _, err := r.Header(); err != nil {
		return nil, err
	}
	for r.err == nil {
		if r.settled && r.rows == nil {
			return nil, r.skipRest()
		}
		if r.issue != nil && r.rows == nil {
			r.stats.Lines += r.lines.pass(r.version.tail.closer)
		}
		l, err := r.nextLine()
		switch {
		case errors.Is(err, io.EOF):
			r.err = r.finish()
		case err != nil:
			r.err = r.fail(err)
		default:
			if rec := r.take(l); rec != nil {
				return rec, nil
			}
		}
	}
	return nil, r.err
}

// skipRest reads what is left of a log whose verdict no line can change: its
// frames may still be damaged, which outranks every line.
func (r *Reader) skipRest() error {
	lines, err := r.lines.skip()
	r.stats.Lines += lines
	if errors.Is(err, io.EOF) {
		r.err = r.finish()
	} else {
		r.err = r.fail(err)
	}
	return r.err
}

func (r *Reader) nextLine() (line, error) {
	if r.rows == nil {
		return r.lines.next()
	}
	text, fault, err := r.rows.Next()
	if err != nil {
		return line{}, err
	}
	s := r.lines
	s.read += int64(len(text)) + 1
	if s.limit > 0 && s.read > s.limit {
		return line{}, &Refusal{Code: CodeSizeLimit, Phase: PhaseContainer, Seq: -1, Pos: Position{Line: s.number + 1, Offset: s.offset}}
	}
	l := s.emit(text, true)
	l.fault = fault
	return l, nil
}

// Drain reads on to the end without taking further events, so that a fault of
// higher rank than one that the caller found is still seen.
func (r *Reader) Drain() error {
	r.ended = true
	for {
		if _, err := r.Next(); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
	}
}

// fail turns an error of the source into the reader's final one. Physical
// damage is a verdict unless an earlier fault outranks it; the harness looks at
// the frames first, so none does.
func (r *Reader) fail(err error) error {
	if refusal, ok := errors.AsType[*Refusal](err); ok {
		if refusal.Code == CodeLineTooLong || refusal.Code == CodeZstdTornRecord {
			refusal.Seq = -1
		}
		r.faults.add(refusal)
		return r.Refusals()[0]
	}
	return err
}

func (r *Reader) finish() error {
	r.stats.Bytes = r.lines.read
	if r.zstd != nil {
		r.stats.Frames, r.stats.NoChecksum = r.zstd.number, r.zstd.plain
		r.noteTornFrame()
		r.zstd.close()
	}
	if r.tail != nil {
		r.tail.Bytes = r.lines.read - r.tail.Pos.Offset
	}
	for _, refusal := range r.rules.finish() {
		r.faults.add(refusal)
	}
	if all := r.Refusals(); len(all) > 0 {
		return all[0]
	}
	return io.EOF
}

func (r *Reader) noteTornFrame() {
	torn := r.zstd.torn
	if torn == nil {
		return
	}
	if r.tail == nil {
		r.tail = &Tail{Pos: Position{Line: r.lines.number + 1, Offset: r.lines.offset, Frame: r.zstd.number}}
	}
	r.tail.Frame = torn
}

// Close lets go of what the reader holds besides its input. A reader that was
// read to its end needs no Close.
func (r *Reader) Close() error {
	if r.ahead != nil {
		r.ahead.close()
	}
	return nil
}

// Tail describes the torn tail, nil when there is none. It is complete when the
// iteration has ended.
func (r *Reader) Tail() *Tail { return r.tail }

// Stats returns the counts so far.
func (r *Reader) Stats() Stats {
	s := r.stats
	s.Bytes = r.lines.read
	return s
}

// Encoding returns how the log is stored.
func (r *Reader) Encoding() Encoding { return r.encoding }

// Version returns the format by which the log is read, nil as long as its header was
// not.
func (r *Reader) Version() *Version { return r.version }

// Refusals returns the first fault of every phase that has one, in rank order.
// The first of them is the verdict.
func (r *Reader) Refusals() []*Refusal { return r.faults.ranked(r.version) }

// Later returns the first fault across rows of a log that its own format's loader accepts,
// because it does not look: [LaterRelease], which migrates such a log when it reads it, refuses
// it. It is nil where there is none, and complete when the iteration has ended.
func (r *Reader) Later() *Refusal { return r.later }

// LaterRelease is the release that [Reader.Later] speaks of.
const LaterRelease = "0.2.1-rc.2"

func (r *Reader) countForm(form ecmajson.Form) {
	if form&ecmajson.InvalidUTF8 != 0 {
		r.stats.InvalidUTF8++
	}
	if !form.Canonical() {
		r.stats.NonCanonical++
	}
}

// faults keeps the first fault of each phase.
type faults struct {
	byPhase [PhaseFold + 1]*Refusal
}

func (f *faults) add(r *Refusal) *Refusal {
	if first := f.byPhase[r.Phase]; first == nil || r.precedes(first) {
		f.byPhase[r.Phase] = r
	}
	return r
}

// ranked returns them in the order of a version's phases.
func (f *faults) ranked(v *Version) (all []*Refusal) {
	for _, r := range f.byPhase {
		if r != nil {
			all = append(all, r)
		}
	}
	slices.SortStableFunc(all, func(a, b *Refusal) int { return cmp.Compare(v.rank(a.Phase), v.rank(b.Phase)) })
	return all
}
