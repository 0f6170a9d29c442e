package strictjson

import (
	"fmt"
	"strings"
)

// Oddities are what JSON.parse accepts and no writer of JSON prints. The zero value
// has none.
type Oddities struct {
	Duplicates int    // members that stand again in their object
	Name       string // of the first
	NameAt     int64  // offset of its second name, -1 when it is not known
	NotUTF8    int    // bytes that are part of no character
	NotUTF8At  int64  // offset of the first
}

func (o *Oddities) duplicate(name string, at int64) {
	if o.Duplicates++; o.Duplicates == 1 {
		o.Name, o.NameAt = name, at
	}
}

func (o *Oddities) notUTF8(at int64) {
	if o.NotUTF8++; o.NotUTF8 == 1 {
		o.NotUTF8At = at
	}
}

// Any reports whether there are any.
func (o Oddities) Any() bool { return o.Duplicates > 0 || o.NotUTF8 > 0 }

// String says what they are.
func (o Oddities) String() string {
	var parts []string
	if o.Duplicates > 0 {
		where := ""
		if o.NameAt >= 0 {
			where = fmt.Sprintf(", again at byte %d", o.NameAt)
		}
		parts = append(parts, fmt.Sprintf("%.80q stands twice in one object%s", o.Name, where))
	}
	if o.Duplicates > 1 {
		parts = append(parts, fmt.Sprintf("and %d more members", o.Duplicates-1))
	}
	if o.NotUTF8 > 0 {
		parts = append(parts, fmt.Sprintf("byte %d is part of no character", o.NotUTF8At))
	}
	return strings.Join(parts, ", ")
}
