package output

import "github.com/fatih/color"

// A Style colours text for one writer, or leaves it plain.
type Style struct {
	red, yellow, green, faint, bold *color.Color
}

// NewStyle returns a style. Whether to colour is the caller's decision: it knows
// the writer and the flags.
func NewStyle(colour bool) *Style {
	make := func(attributes ...color.Attribute) *color.Color {
		c := color.New(attributes...)
		if colour {
			c.EnableColor()
		} else {
			c.DisableColor()
		}
		return c
	}
	return &Style{
		red: make(color.FgRed, color.Bold), yellow: make(color.FgYellow), green: make(color.FgGreen),
		faint: make(color.Faint), bold: make(color.Bold),
	}
}
