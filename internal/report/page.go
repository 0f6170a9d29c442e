package report

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"sort"

	"github.com/dsh-verify/dsh-verify/internal/finding"
)

//go:embed template.html
var templateText string

//go:embed style.css
var styleText string

//go:embed script.js
var scriptText string

var pageTemplate = template.Must(template.New("page").Parse(templateText))

// Budget is the length in bytes that the page aims at. Texts are cut so that it
// is kept; only what cannot be cut, as the rows of very many logs, exceeds it.
const Budget = 1_900_000

// leastText is how much of a text is on the page however many there are.
const leastText = 120

// A Page is a report.
type Page struct {
	Verdict  finding.Verdict
	Sessions []*Session
	Redacted bool
	Cut      string // at how many bytes texts are cut, "" when none is
}

// Add puts a log on the page.
func (p *Page) Add(s *Session) {
	p.Sessions = append(p.Sessions, s)
	if !s.Place || s.Verdict != finding.Rebuilt {
		p.Verdict = finding.Worse(p.Verdict, s.Verdict)
	}
}

// Logs counts what is on the page without the places.
func (p *Page) Logs() (n int) {
	for _, s := range p.Sessions {
		if !s.Place {
			n++
		}
	}
	return n
}

// Sources says what the page was made from.
func (p *Page) Sources() string {
	logs, recorded, objects := 0, 0, 0
	for _, s := range p.Sessions {
		if s.Place {
			continue
		}
		logs++
		if s.Recorded {
			recorded++
		}
		if s.Objects {
			objects++
		}
	}
	from := "the log"
	if logs > 1 {
		from = "the logs"
	}
	switch {
	case recorded > 0 && objects > 0:
		return from + ", recordings of requests and stored attachments"
	case recorded > 0:
		return from + " and recordings of requests"
	case objects > 0:
		return from + " and stored attachments"
	}
	return from + " alone"
}

// rendered is what the template sees.
type rendered struct {
	*Page
	Title  string
	Policy string
	Style  template.CSS
	Script template.JS
}

// WriteTo writes the page.
func (p *Page) WriteTo(w io.Writer) (int64, error) {
	blocks := p.blocks()
	for _, b := range blocks {
		b.Text = ""
	}
	var bare bytes.Buffer
	if err := p.render(&bare); err != nil {
		return 0, err
	}
	p.Cut = cutAll(blocks, Budget-bare.Len())
	var out bytes.Buffer
	if err := p.render(&out); err != nil {
		return 0, err
	}
	return out.WriteTo(w)
}

func (p *Page) render(w io.Writer) error {
	title := "dsh-verify report"
	if len(p.Sessions) == 1 {
		title = p.Sessions[0].Name + ": " + string(p.Verdict)
	}
	return pageTemplate.Execute(w, rendered{
		Page: p, Title: title, Style: template.CSS(styleText), Script: template.JS(scriptText),
		Policy: fmt.Sprintf("default-src 'none'; style-src '%s'; script-src '%s'; img-src data:; base-uri 'none'; form-action 'none'", digest(styleText), digest(scriptText)),
	})
}

// digest is a source expression of a Content-Security-Policy.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// blocks lists every text on the page that can be cut.
func (p *Page) blocks() (list []*Block) {
	for _, s := range p.Sessions {
		for _, m := range s.Messages {
			list = append(list, m.Blocks...)
		}
		for _, h := range s.Headers {
			if h.System != nil {
				list = append(list, h.System)
			}
			for _, t := range h.Tools {
				for _, b := range []*Block{t.Description, t.Parameters} {
					if b != nil {
						list = append(list, b)
					}
				}
			}
		}
	}
	return list
}

// cutAll gives every block the text that is on the page: all of it when the
// budget allows, else as much as the same limit for all leaves of it. It returns
// the limit in words.
func cutAll(blocks []*Block, budget int) string {
	lengths := make([]int, len(blocks))
	for i, b := range blocks {
		lengths[i] = len(template.HTMLEscapeString(b.full))
	}
	limit := limitFor(lengths, budget)
	for i, b := range blocks {
		most := len(b.full)
		if lengths[i] > limit { // by the share of it that fits when escaped
			most = max(leastText, int(int64(limit)*int64(len(b.full))/int64(lengths[i])))
		}
		var more int
		if b.Text, more = cut(b.full, most); more+b.beyond > 0 {
			b.More = number(more + b.beyond)
		}
	}
	sort.Ints(lengths)
	if n := len(lengths); n == 0 || lengths[n-1] <= limit {
		return ""
	}
	return number(limit)
}

// limitFor returns the greatest limit at which the lengths, each cut at it, are
// no more than the budget together.
func limitFor(lengths []int, budget int) int {
	sorted := append([]int(nil), lengths...)
	sort.Ints(sorted)
	for i, n := range sorted {
		left := len(sorted) - i
		if n*left > budget {
			return max(leastText, budget/left)
		}
		budget -= n
	}
	return maxHeld * 6
}
