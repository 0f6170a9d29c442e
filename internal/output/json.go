package output

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/dsh-verify/dsh-verify/internal/result"
	"github.com/dsh-verify/dsh-verify/internal/visible"
)

// JSON writes the report as one indented document.
func JSON(w io.Writer, report *result.Report) error { return WriteJSON(w, report, "  ") }

// WriteJSON writes a value as JSON and a line feed, indented unless indent is
// empty. Characters that hide or command something are escaped, whatever text holds
// them; the value read back is the same.
func WriteJSON(w io.Writer, v any, indent string) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetIndent("", indent)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(visible.JSON(b.Bytes()))
	return err
}
