package capture

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/reconstruct/wire"
)

// closeExtensions names the members that were captured after the bodies' last. They
// are no part of a request, so a body with them equals one without.
func (t *Check) closeExtensions(place finding.Place) {
	known, foreign := make(map[string]int), make(map[string]int)
	var spelled []string
	for _, p := range t.bodies {
		for _, m := range p.extra.Members {
			if wire.KnownExtension(m.Name) {
				known[m.Name]++
			} else {
				foreign[m.Name]++
			}
		}
		if p.extra.Foreign {
			spelled = append(spelled, p.Name)
		}
	}
	if len(known) > 0 {
		t.log.Note(finding.CaptureExtension, counted(known), place)
	}
	if len(foreign) > 0 {
		t.log.Note(finding.CaptureExtensionForeign, counted(foreign), place)
	}
	if len(spelled) > 0 {
		t.log.Note(finding.CaptureExtensionSpelling, finding.Plain(listed(spelled)), place)
	}
	t.events.close(t.log, t.bodies, place)
}

// counted lists names with how often each was met.
func counted(names map[string]int) finding.Text {
	var list []finding.Text
	for name, n := range names {
		shown := finding.Span{Text: name}
		if !wire.KnownExtension(name) {
			const most = 80
			shown = finding.Excerpt(name, strconv.Quote(name[:min(len(name), most)]))
		}
		list = append(list, finding.Say("%s in %s", shown, bodies(n)))
	}
	slices.SortFunc(list, func(a, b finding.Text) int { return strings.Compare(a.String(), b.String()) })
	return listedTexts(list)
}

func bodies(n int) string {
	if n == 1 {
		return "1 body"
	}
	return fmt.Sprintf("%d bodies", n)
}

// hasExtension reports whether a body has an extension of a name.
func hasExtension(x wire.Extensions, name string) bool {
	return slices.ContainsFunc(x.Members, func(m wire.Extension) bool { return m.Name == name })
}
