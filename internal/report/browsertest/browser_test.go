package browsertest

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

const root = "../../.."

var screenshots = flag.String("screenshots", "", "write the pictures of the documentation to this folder")

// tool is the command under test, browser the allocator of its tabs.
var (
	tool    string
	browser context.Context
	without string // why there is no browser
)

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "browsertest")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	path := findBrowser()
	if path == "" {
		without = "no browser is installed (looked for chromium, chromium-browser and google-chrome): the report was not opened in one"
		return m.Run()
	}
	tool = filepath.Join(dir, "dsh-verify")
	build := exec.Command("go", "build", "-o", tool, "./cmd/dsh-verify")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%v\n%s", err, out)
		return 1
	}
	ctx, cancel := chromedp.NewExecAllocator(context.Background(), append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.UserDataDir(filepath.Join(dir, "profile")),
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true), chromedp.Flag("hide-scrollbars", true),
	)...)
	defer cancel()
	ctx, stop := chromedp.NewContext(ctx)
	defer stop()
	if err := chromedp.Do(ctx); err != nil {
		without = "the browser does not start: " + err.Error()
	}
	browser = ctx
	return m.Run()
}

func findBrowser() string {
	for _, name := range []string{os.Getenv("CHROMIUM"), "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if path, err := exec.LookPath(name); name != "" && err == nil {
			return path
		}
	}
	return ""
}

// report writes a report and returns its path.
func report(t *testing.T, args ...string) string {
	t.Helper()
	if without != "" {
		t.Skip(without)
	}
	out := filepath.Join(t.TempDir(), "report.html")
	cmd := exec.Command(tool, append([]string{"report", "-o", out}, args...)...)
	cmd.Dir = filepath.Join(root, "fixtures")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil && stderr.Len() > 0 {
		t.Fatalf("%v: %v: %s", args, err, stderr.String())
	}
	path, err := filepath.Abs(out)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// A tab is a report in the browser.
type tab struct {
	*testing.T
	ctx context.Context

	mu    sync.Mutex
	noise []string // console, errors, requests, dialogs
}

// A look is how a tab is set up.
type look struct {
	dark     bool
	noScript bool
	width    int64
	height   int64
	hash     string
}

// open opens a report. When the test ends, nothing must have been complained
// about, loaded or asked.
func open(t *testing.T, path string, l look) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser)
	tab := &tab{T: t}
	t.Cleanup(func() {
		cancel()
		tab.mu.Lock()
		defer tab.mu.Unlock()
		for _, n := range tab.noise {
			t.Error(n)
		}
	})
	url := "file://" + filepath.ToSlash(path)
	err := chromedp.Listen(ctx, func(event any) {
		switch e := event.(type) {
		case *runtime.EventConsoleAPICalled:
			tab.heard("console: %s", e.Type)
		case *runtime.EventExceptionThrown:
			tab.heard("exception: %s", e.ExceptionDetails.Text)
		case *log.EventEntryAdded:
			tab.heard("log: %s %s", e.Entry.Source, e.Entry.Text)
		case *network.EventRequestWillBeSent:
			if to := e.Request.URL; !strings.HasPrefix(to, "data:image/png;base64,") && !strings.HasPrefix(to, url) {
				tab.heard("a request to %.200s", to)
			}
		case *page.EventJavascriptDialogOpening:
			tab.heard("a dialog: %s", e.Message)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	var stop context.CancelFunc
	tab.ctx, stop = context.WithTimeout(ctx, time.Minute)
	t.Cleanup(stop)
	scheme := "light"
	if l.dark {
		scheme = "dark"
	}
	if l.width == 0 {
		l.width, l.height = 1280, 900
	}
	call(tab, network.Enable, network.EnableParams{})
	call(tab, log.Enable, cdp.Empty{})
	call(tab, runtime.Enable, cdp.Empty{})
	call(tab, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: l.noScript})
	call(tab, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: l.width, Height: l.height, DeviceScaleFactor: 1})
	call(tab, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"},
	}})
	tab.do(chromedp.Navigate(url + l.hash))
	return tab
}

// call runs a command of the protocol.
func call[P, R any](t *tab, command cdp.Command[P, R], params P) {
	t.Helper()
	if _, err := chromedp.Call(t.ctx, command, params); err != nil {
		t.Fatal(err)
	}
}

func (t *tab) heard(format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.noise = append(t.noise, fmt.Sprintf(format, args...))
}

func (t *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	if err := chromedp.Do(t.ctx, actions...); err != nil {
		t.Fatal(err)
	}
}

// visible returns the text that a reader sees of an element; it must be visible.
func (t *tab) visible(selector string) string {
	t.Helper()
	text, err := chromedp.Run(t.ctx, chromedp.Text(chromedp.CSS(selector), chromedp.NodeVisible))
	if err != nil {
		t.Fatalf("%s: %v", selector, err)
	}
	return text
}

func (t *tab) sees(selector string, wants ...string) {
	t.Helper()
	text := t.visible(selector) // in the case that the style gives it
	for _, want := range wants {
		if !strings.Contains(strings.ToLower(text), strings.ToLower(want)) {
			t.Errorf("%s does not show %q but\n%s", selector, want, text)
		}
	}
}

func (t *tab) click(selector string) {
	t.Helper()
	t.do(chromedp.Click(chromedp.CSS(selector), chromedp.NodeVisible))
}

func (t *tab) press(keys string) {
	t.Helper()
	t.do(chromedp.KeyEvent(keys))
}

// asks evaluates an expression and compares its value.
func asks[V comparable](t *tab, expression string, want V) {
	t.Helper()
	got, err := chromedp.Run(t.ctx, chromedp.Evaluate[V](expression))
	if err != nil {
		t.Fatalf("%s: %v", expression, err)
	}
	if got != want {
		t.Errorf("%s is %v, not %v", expression, got, want)
	}
}

// gone waits until an element is not visible.
func (t *tab) gone(selector string) {
	t.Helper()
	t.do(chromedp.WaitNotVisible(chromedp.CSS(selector)))
}

// picture writes what the tab shows for the documentation.
func (t *tab) picture(name string) {
	t.Helper()
	if *screenshots == "" {
		return
	}
	t.do(chromedp.Sleep(200 * time.Millisecond))
	png, err := chromedp.Run(t.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(*screenshots, name+".png"), png, 0o644); err != nil {
		t.Fatal(err)
	}
}
