package browsertest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

const row421 = `tr[data-opens="s1-r-4.2.1"]`

const shownRows = `[...document.querySelectorAll("table.list tbody tr")].filter((r) => r.checkVisibility()).length`

// TestRequest opens a request by the mouse, reads it, and closes it by a key.
func TestRequest(t *testing.T) {
	tab := open(t, report(t, "compaction-pressure"), look{})
	tab.sees("h1", "ses-boat-01")
	tab.sees(".answer", "verified", "14 requests that it shows are, byte for byte, those that were recorded")
	tab.gone("#s1-r-4\\.2\\.1")
	tab.click(row421 + " td:nth-child(4)")
	tab.sees("#s1-r-4\\.2\\.1", "Request 8 · 4.2.1", "compaction put seq 104 in the place of 13 events", "keeps 0 of 13 messages")
	tab.click("#s1-r-4\\.2\\.1 .entries > li:first-child summary")
	tab.sees("#s1-r-4\\.2\\.1 .entries > li:first-child .copy", "Notes on what was said before this point", "compaction put it in the place of")
	tab.click("#s1-r-4\\.2\\.1 details.header summary")
	tab.sees("#s1-r-4\\.2\\.1 details.header .copy", "You build a small boat.", "maxTokens", "256000", "saw")

	// The next request lists the messages that it keeps when it is asked.
	tab.click("#s1-r-4\\.2\\.1 .tools button[aria-label='Next request']")
	tab.sees("#s1-r-5\\.1\\.1", "Request 9 · 5.1.1", "The first 3 messages, as in request 4.2.1")
	tab.click("#s1-r-5\\.1\\.1 li.kept summary")
	tab.sees("#s1-r-5\\.1\\.1 li.kept .entries", "seq 104", "seq 98", "seq 100")
	tab.click("#s1-r-5\\.1\\.1 li.kept .entries > li:nth-child(2) summary")
	tab.sees("#s1-r-5\\.1\\.1 li.kept .entries > li:nth-child(2) .copy", "call saw s4")

	tab.press(kb.Escape)
	tab.gone("#s1-r-5\\.1\\.1")
	asks(tab, `document.activeElement.textContent`, "5.1.1")
	asks(tab, `location.hash`, "")
}

// TestChart opens a request from its bar.
func TestChart(t *testing.T) {
	tab := open(t, report(t, "compaction-pressure"), look{})
	tab.do(chromedp.Click(chromedp.CSS(`svg a[href="#s1-r-6.2.1"] rect.hit`)))
	tab.sees("#s1-r-6\\.2\\.1", "Request 12 · 6.2.1", "compaction put seq 164")
	tab.sees(".costs", "compaction", "3")
}

// TestKeys does everything without a mouse.
func TestKeys(t *testing.T) {
	tab := open(t, report(t, "compaction-pressure"), look{})
	tab.press("j")
	tab.press("j")
	asks(tab, `document.activeElement.textContent`, "1.2.1")
	tab.press("b")
	asks(tab, `document.activeElement.textContent`, "4.2.1")
	tab.press(kb.Enter)
	tab.sees("#s1-r-4\\.2\\.1", "Against request 4.1.1")
	tab.press("k")
	tab.sees("#s1-r-4\\.1\\.1", "Request 7 · 4.1.1")
	tab.press(kb.Escape)
	tab.press("?")
	tab.sees("#keys", "next request that drifts")
	tab.press(kb.Escape)
	tab.gone("#keys")
	tab.press("/")
	asks(tab, `document.activeElement.id`, "search")
}

// TestFilter searches and filters.
func TestFilter(t *testing.T) {
	tab := open(t, report(t, "compaction-pressure"), look{})
	asks(tab, shownRows, 14)
	tab.click(`.chip[data-kind="compaction"]`)
	asks(tab, shownRows, 3)
	tab.sees("#found", "3 of 14 requests")
	tab.click(`.chip[data-kind="compaction"]`)
	asks(tab, shownRows, 14)
	tab.press("/")
	tab.do(chromedp.Evaluate[chromedp.Void](`document.getElementById("search").value = ""`), chromedp.SendKeys(chromedp.CSS("#search"), "batch 1 cut"))
	tab.sees("#found", "1 of 14 requests, 1 message")
	asks(tab, shownRows, 1)
	tab.press(kb.Enter)
	tab.press(kb.Enter)
	tab.sees(".detail.open .entry.hit", "Batch 1 cut and stacked.")
	tab.press(kb.Escape)
	tab.do(chromedp.Evaluate[chromedp.Void](`document.getElementById("search").value = "no such text"; document.getElementById("search").dispatchEvent(new Event("input"))`))
	asks(tab, shownRows, 0)
	tab.sees(".nothing", "Nothing matches.")
}

// TestDrift opens a request that drifts, with both sides beside each other.
func TestDrift(t *testing.T) {
	tab := open(t, report(t, "--recorded", "drift/edited-message.jsonl", "tools-sequential"), look{width: 1500, height: 980})
	tab.sees(".answer", "drift", "5 of 6 requests are not what was recorded")
	tab.sees(".findings", "recording/drift", "03:13", "03:12")
	tab.press("d")
	tab.press(kb.Enter)
	tab.sees("#s1-r-1\\.2\\.1 .drift", "messages[2].content[0].content[0].text", "edited")
	tab.sees("#s1-r-1\\.2\\.1 .drift td.old mark", "3")
	tab.sees("#s1-r-1\\.2\\.1 .drift td.new mark", "2")
	tab.picture("report-drift")
	tab.press("d")
	tab.sees("#s1-r-1\\.3\\.1 .drift", "It differs where request 1.2.1 does.")
	tab.click("#s1-r-1\\.3\\.1 .drift a")
	tab.sees("#s1-r-1\\.2\\.1 .drift", "edited")
}

// TestImage shows an attachment with its checks, and in the message.
func TestImage(t *testing.T) {
	path := report(t, "image-inline-small")
	tab := open(t, path, look{})
	tab.sees(".attachments", "pebble.png", "verified", "its digest, length, type and size are those that the log names")
	asks(tab, `document.querySelector(".attachments img").naturalWidth`, 24)
	tab.click(`tr[data-opens="s1-r-1.1.1"]`)
	tab.click("#s1-r-1\\.1\\.1 .entries > li:first-child summary")
	tab.sees("#s1-r-1\\.1\\.1 .copy .picture", "image/png, 24 × 16, 110 B")
	asks(tab, `document.querySelector("#s1-r-1\\.1\\.1 .copy img").naturalWidth`, 24)
}

// TestHostile opens a log whose every text tries to be more than text.
func TestHostile(t *testing.T) {
	log, err := filepath.Abs("../testdata/hostile.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	tab := open(t, report(t, log), look{})
	asks(tab, `document.title.startsWith("owned")`, false)
	asks(tab, `document.querySelectorAll("script").length`, 1)
	asks(tab, `document.querySelectorAll("style").length`, 1)
	asks(tab, `document.querySelectorAll("[onload], [onerror], [onmouseover], [style], iframe, object, embed, base, form").length`, 0)
	asks(tab, `[...document.querySelectorAll("a")].every((a) => (a.getAttribute("href") || "").startsWith("#"))`, true)
	tab.click(`tr[data-opens="s1-r-1.1.1"] td:nth-child(4)`)
	tab.do(chromedp.Evaluate[chromedp.Void](`for (const d of document.querySelectorAll("details")) d.open = true`))
	tab.sees(".detail.open .entries", "</pre></script><script>document.title='owned'</script>", "javascript:alert(1)", "<svg onload=alert(1)>", `\u{202e}\u{2066}evil\u{200b}`)
	asks(tab, `document.documentElement.scrollWidth <= innerWidth`, true)
}

// TestWithoutScript checks that the page can be read where scripts do not run.
func TestWithoutScript(t *testing.T) {
	tab := open(t, report(t, "compaction-pressure"), look{noScript: true})
	tab.sees("#s1-r-4\\.2\\.1", "Request 8 · 4.2.1", "compaction put")
	tab.gone("#search")
	tab.sees("#s1-requests", "7.2.1")
}

// TestNarrow checks that nothing sticks out on a telephone.
func TestNarrow(t *testing.T) {
	tab := open(t, report(t, "compaction-pressure"), look{width: 390, height: 800})
	asks(tab, `document.documentElement.scrollWidth <= innerWidth`, true)
	tab.click(row421 + " a")
	tab.sees("#s1-r-4\\.2\\.1", "Request 8 · 4.2.1")
	asks(tab, `document.querySelector(".detail.open").getBoundingClientRect().width`, 390)
}

// TestPaper checks that the page prints black on white whatever the screen is
// like, with every row of a long table, and with nothing that only a screen has.
func TestPaper(t *testing.T) {
	path := filepath.Join(t.TempDir(), "session.jsonl")
	if err := os.WriteFile(path, longLog(250), 0o644); err != nil {
		t.Fatal(err)
	}
	tab := open(t, report(t, path), look{dark: true, width: 720, height: 1000})
	asks(tab, `getComputedStyle(document.body).backgroundColor`, "rgb(16, 18, 23)")
	call(tab, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print", Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: "dark"},
	}})
	asks(tab, `getComputedStyle(document.body).backgroundColor`, "rgb(255, 255, 255)")
	asks(tab, `getComputedStyle(document.body).color`, "rgb(28, 31, 38)")
	asks(tab, `[...document.querySelectorAll(".list tbody tr")].filter((row) => row.getClientRects().length).length`, 250)
	asks(tab, `[...document.querySelectorAll(".scroll")].every((e) => getComputedStyle(e).overflowX === "visible")`, true)
	asks(tab, `document.documentElement.scrollWidth <= innerWidth`, true)
	tab.gone(".topbar")
	tab.gone(".pager")
}

// TestPaperDrift checks that drift is printed though no request is open.
func TestPaperDrift(t *testing.T) {
	tab := open(t, report(t, "--recorded", "drift/edited-message.jsonl", "tools-sequential"), look{})
	tab.gone("#s1-r-1\\.2\\.1")
	call(tab, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"})
	tab.sees("#s1-r-1\\.2\\.1 .diff", "high 3.1 m at 09:40")
	tab.gone("#s1-r-1\\.3\\.1") // it differs where the first does
	tab.sees(".on-paper", "what drifts")
}

// TestPages goes through the pages of a long table.
func TestPages(t *testing.T) {
	path := filepath.Join(t.TempDir(), "session.jsonl")
	if err := os.WriteFile(path, longLog(250), 0o644); err != nil {
		t.Fatal(err)
	}
	tab := open(t, report(t, path), look{})
	asks(tab, shownRows, 100)
	tab.sees(".pager", "rows 1 to 100 of 250")
	tab.click(`.pager [data-go="1"]`)
	tab.sees(".pager", "rows 101 to 200 of 250")
	tab.do(chromedp.Evaluate[chromedp.Void](`location.hash = "s1-r-1.250.1"`))
	tab.sees(".detail.open", "Request 250 · 1.250.1")
	tab.click(".detail.open li.kept summary")
	tab.visible(".detail.open li.kept .entries > li") // it is filled a moment later
	asks(tab, `document.querySelectorAll(".detail.open li.kept .entries > li").length`, 249)
}

// longLog writes a log of one turn with many steps.
func longLog(steps int) []byte {
	var b strings.Builder
	b.WriteString(`{"type":"session","version":0,"id":"ses-long","createdAt":1700000000000,"delegationDepth":0}` + "\n")
	seq := 0
	event := func(kind, data, more string) {
		fmt.Fprintf(&b, `{"type":%q,"seq":%d,"time":%d,"data":%s%s}`+"\n", kind, seq, 1700000000000+1000*seq, data, more)
		seq++
	}
	event("turn/start", `{"turn":1}`, "")
	for i := 1; i <= steps; i++ {
		event("step/start", fmt.Sprintf(`{"turn":1,"step":%d}`, i), "")
		if i == 1 {
			event("user/message", `{"content":[{"type":"text","text":"Count."}],"source":{"kind":"user"},"role":"user","id":"m0"}`, `,"surfaceOp":"append"`)
			event("request/header", `{"header":{"config":{"provider":"p","model":"m"}},"reason":"initial"}`, "")
		}
		event("assistant/message", fmt.Sprintf(`{"turn":1,"step":%d,"message":{"role":"assistant","content":[{"type":"text","text":"%d"}],"source":{"kind":"model","provider":"p","model":"m"},"id":"a%d"},"usage":{"inputTokens":1,"outputTokens":1}}`, i, i, i), `,"sourceEventSeqs":[],"surfaceOp":"append"`)
		event("step/end", fmt.Sprintf(`{"turn":1,"step":%d}`, i), "")
	}
	event("turn/end", `{"turn":1,"reason":{"kind":"completed"}}`, "")
	return []byte(b.String())
}

// TestPictures takes the pictures of the documentation.
func TestPictures(t *testing.T) {
	if *screenshots == "" {
		t.Skip("pictures are taken with -screenshots DIR")
	}
	compaction := report(t, "compaction-pressure")
	open(t, compaction, look{width: 1280, height: 1500}).picture("report-compaction-pressure")
	open(t, compaction, look{width: 1280, height: 1500, dark: true}).picture("report-compaction-pressure-dark")
	open(t, report(t, "image-inline-small"), look{width: 1280, height: 1900}).picture("report-image-inline-small")
	request := open(t, compaction, look{width: 1500, height: 980, dark: true, hash: "#s1-r-4.2.1"})
	request.click("#s1-r-4\\.2\\.1 .entries > li:first-child summary")
	request.picture("report-request-dark")
}
