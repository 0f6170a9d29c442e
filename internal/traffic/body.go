package traffic

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"strings"

	"github.com/dsh-verify/dsh-verify/internal/regular"
)

// The headers that tell what a body belongs to.
const (
	SessionHeader = "x-deepseek-harness-session-id"
	CompactHeader = "x-deepseek-harness-compact"
)

// A Body is one captured request body.
type Body struct {
	Name      string // of the file, or entry and number in a HAR
	SessionID string // "": not known
	Second    string // another session that it names, "" when it names one or none
	Compact   bool   // a compaction one-shot, by its header
	// Incomparable says why the bytes are not those that were sent; "" when they are.
	Incomparable string
	// Doubt says why the bytes may not be those that were sent. If they are equal to
	// what was expected they are; otherwise they cannot be compared.
	Doubt string
	// Length is what the capture says the body's length to be, where that is not so.
	Length string
	// Changed says, once the bytes were read, how they are not those that the index
	// names; "" when they are.
	Changed string

	encoding string // that is still to be undone
	path     string // of a file that is read when needed
	stored   int64  // length of that file
	size     int64  // by the index, negative when it does not say
	sum      string // the same for the SHA-256, "" when it does not say
	data     []byte
	limit    *budget // of the capture
}

// BelongsTo reports whether a body names a session.
func (b *Body) BelongsTo(session string) bool {
	return b.SessionID != "" && (b.SessionID == session || b.Second == session)
}

// maxBody bounds a body, maxCapture a HAR file.
const (
	maxBody    = 1 << 30
	maxCapture = 2 << 30
)

// Bytes returns the body.
func (b *Body) Bytes() ([]byte, error) {
	if b.path == "" {
		return b.data, nil
	}
	f, err := regular.Open(b.path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxBody+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxBody {
		return nil, fmt.Errorf("%s: longer than 1 GiB", b.path)
	}
	data = b.asRecorded(data)
	plain, err := inflate(data, b.encoding, b.limit)
	if err != nil {
		return nil, fmt.Errorf("its %s body does not decode: %w", b.encoding, err)
	}
	if len(plain) > 0 && &plain[0] != &data[0] {
		b.data, b.path = plain, "" // it counts against the budget once
	}
	return plain, nil
}

// asRecorded compares a file with its line in the index. An editor or a hook of a
// repository puts a line feed at the end of a file: then the digest says what was
// recorded.
func (b *Body) asRecorded(data []byte) []byte {
	if b.isRecorded(data) {
		return data
	}
	n := len(data) - 1
	if n > 0 && data[n] == '\n' && b.sum != "" && b.isRecorded(data[:n]) {
		b.Changed = "a line feed was added"
		return data[:n]
	}
	b.Changed = fmt.Sprintf("%d bytes, with another length or digest than the index has", len(data))
	return data
}

func (b *Body) isRecorded(data []byte) bool {
	if b.size >= 0 && b.size != int64(len(data)) {
		return false
	}
	sum := sha256.Sum256(data)
	return b.sum == "" || strings.EqualFold(b.sum, hex.EncodeToString(sum[:]))
}

// header takes what a header says of whose the body is.
func (b *Body) header(name, value string) {
	switch strings.ToLower(name) {
	case SessionHeader:
		b.session(strings.TrimSpace(value))
	case CompactHeader:
		b.Compact = strings.TrimSpace(value) == "1"
	case "content-encoding":
		b.encoding = strings.ToLower(strings.TrimSpace(value))
	}
}

// session takes the name of a session. Where there are two names, either may be right.
func (b *Body) session(id string) {
	switch {
	case id == "" || id == b.SessionID:
	case b.SessionID == "":
		b.SessionID = id
	default:
		b.Second = id
	}
}
