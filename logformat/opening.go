package logformat

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// setEncoding decides how the log is stored. What its name says is not believed
// where the first bytes are those of a log that is stored otherwise: the harness
// refuses it, and it is refused here too.
func (r *Reader) setEncoding(head []byte) Encoding {
	packed := len(head) == 4 && binary.LittleEndian.Uint32(head) == frameMagic
	switch _, compressed, named := ParseFileName(r.opts.FileName); {
	case !named:
		packed = packed || isFramePrefix(head)
	case !compressed:
		r.misnamed = packed
	default:
		r.misnamed = len(head) > 0 && head[0] == '{'
		packed = !r.misnamed
	}
	if packed {
		r.encoding = Zstandard
	}
	return r.encoding
}

// isFramePrefix reports whether a file shorter than a magic number begins one:
// such a file is a torn Zstandard log, not text.
func isFramePrefix(head []byte) bool {
	magic := binary.LittleEndian.AppendUint32(nil, frameMagic)
	return len(head) > 0 && len(head) < 4 && string(head) == string(magic[:len(head)])
}

// headerLine reads the first line as far as it must be whole, and where it must be.
func (r *Reader) headerLine() (line, error) {
	if r.misnamed {
		return line{}, r.faults.add(&Refusal{Code: CodeEncoding, Phase: PhaseContainer, Seq: -1, Detail: storedAs[r.encoding]})
	}
	l, err := r.nextLine()
	if errors.Is(err, io.EOF) {
		return line{}, r.faults.add(r.emptyFault())
	}
	if refusal, ok := errors.AsType[*Refusal](err); ok && refusal.Code == CodeZstdTornRecord {
		return line{}, r.faults.add(headerFrameFault(line{pos: refusal.Pos})) // the complete frames end in the header line
	}
	if err != nil {
		return line{}, r.fail(err)
	}
	if r.encoding == Zstandard && !r.headerFrame(l) {
		return line{}, r.faults.add(headerFrameFault(l))
	}
	if !l.terminated {
		return line{}, r.faults.add(&Refusal{Code: CodeHeaderUnterminated, Phase: PhaseContainer, Pos: l.pos, Seq: -1})
	}
	return l, nil
}

// openHeader reads the header.
func (r *Reader) openHeader() error {
	l, err := r.headerLine()
	if err != nil {
		return err
	}
	r.stats.Lines++
	header, late, refusal := parseHeader(l.text, r.opts.FileName)
	if refusal != nil {
		return r.faults.add(refusal)
	}
	if late != nil {
		r.faults.add(late)
	}
	if want := header.StorePath(); !r.liesAt(want) {
		r.refuse(&Refusal{
			Code: CodePath, Phase: PhasePath, Pos: l.pos, Seq: -1,
			Detail: "the header's id and cwd belong in " + want + ", the log lies in " + r.opts.StorePath,
		})
	}
	r.countForm(header.Form)
	header.Chosen = r.opts.Shape
	r.header = header
	r.setVersion(header.Version)
	return r.lookAhead()
}

// liesAt reports whether the log may lie where it does when its header puts it there.
func (r *Reader) liesAt(want string) bool {
	lies := r.opts.StorePath
	return lies == "" || lies == want || r.opts.SamePlace != nil && r.opts.SamePlace(want)
}

// storedAs says what lies under the name of another encoding.
var storedAs = map[Encoding]string{
	Plain:     "plain text under the name of a compressed log",
	Zstandard: "a Zstandard frame under the name of a plain log",
}

// headerFrame reports whether the first frame holds the header line, whole, and
// nothing else.
func (r *Reader) headerFrame(l line) bool {
	return l.pos.Frame == 1 && l.terminated && !l.torn && r.drainHeaderFrame()
}

// headerFrameFault tells a log that is only a torn frame from one whose
// first complete frame holds something else than the header line.
func headerFrameFault(l line) *Refusal {
	code := CodeZstdHeaderFrame
	if l.torn && l.pos.Frame == 1 {
		code = CodeHeaderUnterminated
	}
	return &Refusal{Code: code, Phase: PhaseContainer, Pos: l.pos, Seq: -1}
}

// emptyFault is the fault of a log without any text.
func (r *Reader) emptyFault() *Refusal {
	switch {
	case r.zstd == nil || r.zstd.number == 0:
		return &Refusal{Code: CodeEmpty, Phase: PhaseContainer, Seq: -1}
	case r.zstd.number == 1 && r.zstd.torn != nil:
		return &Refusal{
			Code: CodeHeaderUnterminated, Phase: PhaseContainer, Seq: -1, Pos: Position{Line: 1, Frame: 1},
			Detail: fmt.Sprintf("the log is the beginning of its first Zstandard frame, %d bytes", r.zstd.torn.Bytes),
		}
	}
	return headerFrameFault(line{pos: Position{Line: 1, Frame: 1}})
}

// drainHeaderFrame reports whether what is left of the first frame is nothing.
func (r *Reader) drainHeaderFrame() bool {
	if len(r.lines.rest) > 0 {
		return false
	}
	for !r.lines.piece.ends {
		p, err := r.lines.src.next()
		if err != nil || len(p.text) > 0 {
			return false
		}
		r.lines.piece = p
	}
	return true
}
