package report

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestMarks checks that a row of narrow bars with one mark gets one, with a count.
func TestMarks(t *testing.T) {
	const step = 3
	c := &Chart{Top: 26}
	for i := range 20 {
		switch {
		case i < 10:
			c.mark("drift", "drift", 100+step*float64(i), 50)
		case i > 14 && i < 17:
			c.mark("header", "header", 100+step*float64(i), 50)
		}
	}
	c.placeMarks(step)
	want := []Mark{
		{X: "113.5", Y: "18", Class: "drift", Text: "10 × drift", From: "100", To: "127"},
		{X: "145", Y: "18", Class: "header", Guide: true},
		{X: "148", Y: "18", Class: "header", Guide: true},
	}
	if diff := cmp.Diff(want, c.Marks); diff != "" {
		t.Error(diff)
	}
}
