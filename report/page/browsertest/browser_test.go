package browsertest

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	reportpage "weft/report/page"
	"weft/report/page/internal/pagetest"
)

// report is one of the made-up pages.
type report struct {
	name string
	make func() *reportpage.Report
}

func reports() []report {
	return []report{
		{"comparison", func() *reportpage.Report { return pagetest.Comparison(5) }},
		{"study", func() *reportpage.Report { return pagetest.Study(5) }},
		{"hostile", pagetest.Hostile},
		{"large", pagetest.Large},
	}
}

// write writes the page to a file and returns its path.
func (r report) write(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), r.name+".html")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := reportpage.Write(f, r.make()); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// browser finds Chromium, or skips the test and says why.
func browser(t *testing.T) string {
	t.Helper()
	if path := os.Getenv("WEFT_CHROMIUM"); path != "" {
		return path
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("SKIPPED: there is no Chromium; install it, or name it in WEFT_CHROMIUM")
	return ""
}

// tab is an open page, and what went wrong in it.
type tab struct {
	context.Context
	mu       sync.Mutex
	problems []string
}

func (b *tab) problem(text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.problems = append(b.problems, text)
}

// check fails the test if anything went wrong.
func (b *tab) check(t *testing.T) {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, p := range b.problems {
		t.Error(p)
	}
}

// open opens a file in a browser of its own, in the light or the dark, and waits until all
// is drawn.
func open(t *testing.T, path string, dark bool) *tab {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(browser(t)), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true),
		chromedp.UserDataDir(t.TempDir()), chromedp.WindowSize(1280, 800),
	)
	if dark {
		options = append(options, chromedp.Flag("blink-settings", "preferredColorScheme=0"))
	}
	allocator, stop := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(stop)
	timed, cancel := context.WithTimeout(allocator, 60*time.Second)
	t.Cleanup(cancel)
	inner, closeTab := chromedp.NewContext(timed)
	t.Cleanup(closeTab)
	b := &tab{Context: inner}
	chromedp.ListenTarget(inner, func(event any) {
		switch e := event.(type) {
		case *runtime.EventExceptionThrown:
			b.problem("uncaught: " + e.ExceptionDetails.Error())
		case *runtime.EventConsoleAPICalled:
			if e.Type == runtime.APITypeError || e.Type == runtime.APITypeWarning {
				var texts []string
				for _, a := range e.Args {
					texts = append(texts, string(a.Value)+a.Description)
				}
				b.problem("console: " + strings.Join(texts, " "))
			}
		case *log.EventEntryAdded:
			b.problem("log: " + e.Entry.Text)
		case *network.EventRequestWillBeSent:
			if u := e.Request.URL; !strings.HasPrefix(u, "file://"+path) && !strings.HasPrefix(u, "blob:") && !strings.HasPrefix(u, "data:") {
				b.problem("asked for " + u)
			}
		case *page.EventJavascriptDialogOpening:
			b.problem("a dialog opened: " + e.Message)
			go func() { _ = chromedp.Run(inner, page.HandleJavaScriptDialog(true)) }()
		}
	})
	if err := chromedp.Run(inner, log.Enable(), network.Enable(), chromedp.Navigate("file://"+path),
		chromedp.WaitReady(`html[data-ready="yes"]`, chromedp.ByQuery)); err != nil {
		b.check(t)
		t.Fatal(err)
	}
	return b
}

// evaluate runs JavaScript, and waits for what it promises.
func evaluate[T any](t *testing.T, b *tab, script string) T {
	t.Helper()
	var result T
	await := func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }
	if err := chromedp.Run(b, chromedp.Evaluate(script, &result, await)); err != nil {
		b.check(t)
		t.Fatalf("%v in: %.300s", err, script)
	}
	return result
}
