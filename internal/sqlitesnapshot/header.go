package sqlitesnapshot

import (
	"encoding/binary"
	"fmt"
)

// Magic is how a SQLite file starts.
const Magic = "SQLite format 3\x00"

// Damage says what in the header of a database is not as the file format has it.
type Damage struct{ Detail string }

func (d *Damage) Error() string { return d.Detail }

func damage(format string, args ...any) error { return &Damage{fmt.Sprintf(format, args...)} }

// The header of a database (https://www.sqlite.org/fileformat2.html, section 1.3).
const (
	headerSize      = 100
	atWriteVersion  = 18
	atReadVersion   = 19
	atChange        = 24
	atPages         = 28
	atUserVersion   = 60
	atApplicationID = 68
	atValidFor      = 92

	walVersion      = 2 // of a database that is written through a log
	rollbackVersion = 1
)

// A header is the first bytes of a database.
type header [headerSize]byte

func (h *header) number(at int) uint32 { return binary.BigEndian.Uint32(h[at:]) }

// pageSize returns the size of a page. The error is a *[Damage].
func (h *header) pageSize() (int, error) {
	if string(h[:len(Magic)]) != Magic {
		return 0, damage("the file does not start as a SQLite database does")
	}
	size := int(binary.BigEndian.Uint16(h[16:]))
	if size == 1 {
		size = 65536
	}
	if size < 512 || size&(size-1) != 0 {
		return 0, damage("the header gives %d as the size of a page", size)
	}
	return size, nil
}

// pages returns how many pages the database has, of which so many are held. The
// count in the header counts only when the last writer kept it.
func (h *header) pages(held uint32) (uint32, error) {
	count := h.number(atPages)
	if count == 0 || h.number(atChange) != h.number(atValidFor) {
		return held, nil
	}
	if count > held {
		return 0, damage("the header counts %d pages, the file holds %d: it is cut off", count, held)
	}
	return count, nil
}
