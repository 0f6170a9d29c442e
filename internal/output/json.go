package output

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/dsh-verify/dsh-verify/internal/verify"
)

// JSON writes the report as one indented document.
func JSON(w io.Writer, report *verify.Report) error { return WriteJSON(w, report, "  ") }

// WriteJSON writes a value as JSON and a line feed, indented unless indent is
// empty. Characters that a terminal obeys are escaped, whatever text holds them;
// the value read back is the same.
func WriteJSON(w io.Writer, v any, indent string) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetIndent("", indent)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(EscapeUnsafe(b.Bytes()))
	return err
}

// EscapeUnsafe escapes, in JSON text, what a terminal obeys. Control characters
// below U+0020 are escaped already.
func EscapeUnsafe(text []byte) []byte {
	at := firstUnsafe(text)
	if at < 0 {
		return text
	}
	out := append(make([]byte, 0, len(text)+64), text[:at]...)
	for text = text[at:]; len(text) > 0; {
		r, n := utf8.DecodeRune(text)
		if unsafeRune(r) {
			for _, unit := range utf16.Encode([]rune{r}) {
				out = fmt.Appendf(out, `\u%04x`, unit)
			}
		} else {
			out = append(out, text[:n]...)
		}
		text = text[n:]
	}
	return out
}

func firstUnsafe(text []byte) int {
	for i := 0; i < len(text); {
		if text[i] < 0x7f {
			i++
			continue
		}
		r, n := utf8.DecodeRune(text[i:])
		if unsafeRune(r) {
			return i
		}
		i += n
	}
	return -1
}

// unsafeRune reports whether a terminal or a reader's eye obeys a character:
// C1 controls, and marks of direction and of width.
func unsafeRune(r rune) bool {
	return r >= 0x7f && r < 0xa0 || r >= 0x200b && r <= 0x200f || r >= 0x2028 && r <= 0x202e || r >= 0x2060 && r <= 0x2069 || r == 0xfeff || r >= 0xe0000 && r <= 0xe007f
}
