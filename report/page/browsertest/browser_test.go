package browsertest

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	reportpage "weft/report/page"
	"weft/report/page/internal/pagetest"
)

// report is one of the pages: a made-up one, or the given one, which is a file.
type report struct {
	name string
	make func() *reportpage.Report
}

// given is a page of the user's to check as well, by its path.
var given = os.Getenv("WEFT_PAGE")

func reports() []report {
	list := []report{
		{"comparison", func() *reportpage.Report { return pagetest.Comparison(5) }},
		{"study", func() *reportpage.Report { return pagetest.Study(5) }},
		{"hostile", pagetest.Hostile},
		{"large", pagetest.Large},
	}
	if given != "" {
		list = append(list, report{name: "given"})
	}
	return list
}

// shared is what all tests use: one browser, and the pages, which are written once.
type shared struct {
	folder  string
	browser context.Context
}

var started = sync.OnceValues(start)

// stop ends what start began.
var stop = func() {}

func TestMain(m *testing.M) {
	code := m.Run()
	stop()
	os.Exit(code)
}

func start() (*shared, error) {
	folder, err := os.MkdirTemp("", "weft-pages-")
	if err != nil {
		return nil, err
	}
	stop = func() { _ = os.RemoveAll(folder) }
	for _, r := range reports() {
		if r.make == nil {
			continue
		}
		f, err := os.Create(filepath.Join(folder, r.name+".html"))
		if err != nil {
			return nil, err
		}
		if err := reportpage.Write(f, r.make()); err != nil {
			return nil, err
		}
		if err := f.Close(); err != nil {
			return nil, err
		}
	}
	path, err := chromium()
	if err != nil {
		return &shared{folder: folder}, nil
	}
	// The profile is a new one, which chromedp removes.
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true),
		chromedp.WindowSize(1280, 800),
	)
	allocator, end := chromedp.NewExecAllocator(context.Background(), options...)
	browser, quit := chromedp.NewContext(allocator)
	stop = func() {
		quit()
		end()
		_ = os.RemoveAll(folder)
	}
	return &shared{folder, browser}, chromedp.Run(browser)
}

// all starts what tests share.
func all(t *testing.T) *shared {
	t.Helper()
	s, err := started()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// path returns where the page is.
func (r report) path(t *testing.T) string {
	t.Helper()
	if r.make == nil {
		return given
	}
	return filepath.Join(all(t).folder, r.name+".html")
}

// chromium finds the browser.
func chromium() (string, error) {
	if path := os.Getenv("WEFT_CHROMIUM"); path != "" {
		return path, nil
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errors.New("there is no Chromium; install it, or name it in WEFT_CHROMIUM")
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

// open opens a page, in the light or the dark, and waits until all is drawn.
func open(t *testing.T, r report, dark bool) *tab {
	t.Helper()
	if _, err := chromium(); err != nil {
		t.Skipf("SKIPPED: %v", err)
	}
	path := r.path(t)
	opened, closeTab := chromedp.NewContext(all(t).browser)
	t.Cleanup(closeTab)
	inner, cancel := context.WithTimeout(opened, 60*time.Second)
	t.Cleanup(cancel)
	b := &tab{Context: inner}
	scheme := "light"
	if dark {
		scheme = "dark"
	}
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
	if err := chromedp.Run(inner, log.Enable(), network.Enable(),
		emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}), chromedp.Navigate("file://"+path),
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
