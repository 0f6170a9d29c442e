package output

import (
	"encoding/json"
	"io"

	"github.com/dsh-verify/dsh-verify/internal/verify"
)

// JSON writes the report as one indented document.
func JSON(w io.Writer, report *verify.Report) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(report)
}
