package report

import (
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dsh-verify/dsh-verify/diffview"
	"github.com/dsh-verify/dsh-verify/internal/redact"
)

// An ink writes text of a log on the page: with every character visible, and
// redacted where that is asked for.
type ink struct {
	redactor *redact.Redactor // nil: none
}

// text is text that may run over several lines.
func (k ink) text(s string) string {
	if k.redactor != nil {
		return k.redactor.Text(s)
	}
	return diffview.Visible(s, diffview.Newline, diffview.Tab)
}

// line is text that must stay on one line.
func (k ink) line(s string) string {
	if k.redactor != nil {
		return k.redactor.Text(s)
	}
	return diffview.Visible(s)
}

// word is a word that the format knows, or someone's text.
func (k ink) word(s string) string { return diffview.Visible(k.redactor.Word(s)) }

// at is a path in a request.
func (k ink) at(pointer string) string { return diffview.Readable(k.redactor.Pointer(pointer)) }

// name is what identifies something and is no content: a session, a model.
func (k ink) name(s string) string { return diffview.Visible(s) }

// path is the name of a file; redacted, it loses its folders.
func (k ink) path(s string) string {
	if k.redactor != nil {
		s = filepath.Base(s)
	}
	return diffview.Visible(s)
}

// cut shortens text to n bytes at a character's boundary, and says how many it
// left out.
func cut(s string, n int) (string, int) {
	if len(s) <= n {
		return s, 0
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n], len(s) - n
}

// clip shortens text to about n bytes and marks that it did.
func clip(s string, n int) string {
	if short, more := cut(s, n); more > 0 {
		return short + "…"
	}
	return s
}

// number prints n with its thousands apart.
func number[T int | int64](n T) string {
	digits := strconv.FormatInt(int64(n), 10)
	var b strings.Builder
	for i, r := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 && digits[i-1] != '-' {
			b.WriteByte(',')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// size prints a number of bytes for a person.
func size(n int64) string {
	switch f := float64(n); {
	case n < 1000:
		return strconv.FormatInt(n, 10) + " B"
	case n < 1e6:
		return trimZero(f/1e3) + " kB"
	case n < 1e9:
		return trimZero(f/1e6) + " MB"
	default:
		return trimZero(f/1e9) + " GB"
	}
}

func trimZero(f float64) string {
	return strings.TrimSuffix(strconv.FormatFloat(f, 'f', 1, 64), ".0")
}

// percent prints part of whole; only all of it is 100 %.
func percent(part, whole int64) string {
	if whole <= 0 {
		return "0 %"
	}
	p := int64(math.Round(float64(part) / float64(whole) * 100))
	if p == 100 && part < whole {
		p = 99
	}
	return fmt.Sprintf("%d %%", p)
}

// clock prints milliseconds since the Unix epoch, in UTC.
func clock(ms int64) string { return stamp(ms, "2006-01-02 15:04:05.000 UTC") }

// hour is clock without the date.
func hour(ms int64) string { return stamp(ms, "15:04:05") }

func stamp(ms int64, layout string) string {
	const limit = 253402300800000 // year 10000
	if ms < -limit || ms >= limit {
		return strconv.FormatInt(ms, 10) + " ms"
	}
	return time.UnixMilli(ms).UTC().Format(layout)
}

// counted prints a number and what it counts.
func counted[T int | int64](n T, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return number(n) + " " + many
}
