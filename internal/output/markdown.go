package output

import (
	"fmt"
	"io"
	"strings"

	"github.com/dsh-verify/dsh-verify/diffview"
	"github.com/dsh-verify/dsh-verify/internal/finding"
	"github.com/dsh-verify/dsh-verify/internal/result"
)

// The summary of a job is cut at a size by those who show it, so it names this
// many of each and counts the rest.
const (
	markdownLogs     = 200
	markdownFindings = 50
)

// markdown writes the summary of a job: the verdict, a row per log, and the
// findings, worst first; notes and what is ignored are folded.
// A command that compares no requests sums up in its own words.
func markdown(w io.Writer, report *result.Report, summary func(*result.Report) string) error {
	var b strings.Builder
	all := count(report.Logs...)
	line := all.String()
	if summary != nil {
		line = mdText(summary(report))
	}
	fmt.Fprintf(&b, "## dsh-verify: %s %s\n\n%s\n", mark(report.Verdict), report.Verdict, line)
	markdownTable(&b, report, summary == nil)
	for _, section := range []struct {
		title string
		n     int
		is    func(finding.Finding) bool
		open  bool
	}{
		{"Errors", all.errors, finding.Finding.Fails, true},
		{"Warnings", all.warnings, func(f finding.Finding) bool { return f.Suppressed == "" && f.Severity == finding.Warning }, true},
		{"Notes", all.notes, func(f finding.Finding) bool { return f.Suppressed == "" && f.Severity == finding.Note }, false},
		{"Ignored by policy", all.ignored, func(f finding.Finding) bool { return f.Suppressed != "" }, false},
	} {
		if section.n == 0 {
			continue
		}
		if section.open {
			fmt.Fprintf(&b, "\n### %s\n", section.title)
		} else {
			fmt.Fprintf(&b, "\n<details>\n<summary>%s (%d)</summary>\n", section.title, section.n)
		}
		markdownSection(&b, report, section.is, section.n)
		if !section.open {
			b.WriteString("\n</details>\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// mark shows a verdict to those who only glance.
func mark(v finding.Verdict) string {
	switch v {
	case finding.Verified, finding.Sealed, finding.Rebuilt:
		return "✅"
	case finding.Unverifiable:
		return "⚠️"
	}
	return "❌"
}

func markdownTable(b *strings.Builder, report *result.Report, compared bool) {
	if len(report.Logs) == 0 {
		return
	}
	if compared {
		b.WriteString("\n| | Log | Verdict | Requests | Verified | Drifted | Errors | Warnings |\n|---|---|---|--:|--:|--:|--:|--:|\n")
	} else {
		b.WriteString("\n| | Log | Verdict | Requests | Errors | Warnings |\n|---|---|---|--:|--:|--:|\n")
	}
	for i, log := range report.Logs {
		if i == markdownLogs {
			fmt.Fprintf(b, "\n%d more logs are not listed.\n", len(report.Logs)-i)
			break
		}
		c := count(log)
		fmt.Fprintf(b, "| %s | %s | %s | %d |", mark(log.Verdict), mdCode(log.File), log.Verdict, c.requests)
		if compared {
			fmt.Fprintf(b, " %d | %d |", c.verified, c.drifted)
		}
		fmt.Fprintf(b, " %d | %d |\n", c.errors, c.warnings)
	}
}

func markdownSection(b *strings.Builder, report *result.Report, is func(finding.Finding) bool, total int) {
	shown := 0
	for _, log := range report.Logs {
		for _, f := range log.Findings {
			if !is(f) {
				continue
			}
			if shown == markdownFindings {
				fmt.Fprintf(b, "\n%d more are not listed.\n", total-shown)
				return
			}
			shown++
			markdownFinding(b, log, f)
		}
	}
}

func markdownFinding(b *strings.Builder, log *result.Log, f finding.Finding) {
	fmt.Fprintf(b, "\n- **%s**", f.Code)
	if place := where(log, f, true); place != "" {
		fmt.Fprintf(b, " in %s", mdCode(place))
	}
	b.WriteString("  \n")
	var quoted, last []string
	for i, line := range explain(f) {
		switch {
		case i == 0:
			fmt.Fprintf(b, "  %s\n", mdText(line))
		case i <= len(f.Lines()):
			quoted = append(quoted, strings.TrimPrefix(line, "  "))
		default:
			last = append(last, "  "+mdText(line))
		}
	}
	if len(quoted) > 0 {
		text := strings.Join(quoted, "\n")
		rail := fence(text, 3)
		fmt.Fprintf(b, "\n  %s\n  %s\n  %s\n", rail, strings.Join(quoted, "\n  "), rail)
	}
	if len(last) > 0 {
		fmt.Fprintf(b, "\n%s\n", strings.Join(last, "  \n"))
	}
}

// mdText returns text that Markdown shows as it is.
func mdText(s string) string {
	var b strings.Builder
	for _, r := range diffview.Visible(s) {
		switch r {
		case '<':
			b.WriteString("&lt;")
			continue
		case '>':
			b.WriteString("&gt;")
			continue
		case '&':
			b.WriteString("&amp;")
			continue
		case '@':
			b.WriteString("&#64;") // mentions nobody
			continue
		case '\\', '`', '*', '_', '[', ']', '|', '~', '#', '!', '$':
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// mdCode returns text as a code span that is good in a table's cell too.
func mdCode(s string) string {
	s = strings.ReplaceAll(diffview.Visible(s), "|", `\|`)
	rail := fence(s, 1)
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		s = " " + s + " "
	}
	return rail + s + rail
}

// fence returns backticks, at least n, that end no earlier than s does.
func fence(s string, n int) string {
	run, longest := 0, 0
	for _, r := range s {
		if r != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	if longest >= n {
		n = longest + 1
	}
	return strings.Repeat("`", n)
}
