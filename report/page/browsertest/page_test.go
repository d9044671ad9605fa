// Package browsertest opens pages in a headless browser and checks that they can be read:
// everything is drawn, nothing fails, and it can be used without a mouse or without seeing
// the charts. It is a module of its own, so that weft does not depend on a browser driver.
package browsertest

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

//go:embed figures.js
var figuresScript string

// TestFigures checks every chart of every page, in the light and in the dark.
func TestFigures(t *testing.T) {
	const charts = "bar-runtime bar-goodput by-size cdf-fct cdf-slowdown timeline fabric-map"
	shown := map[string]string{"comparison": charts, "study": "study-chart study-heat " + charts, "hostile": charts, "large": charts}
	for _, r := range reports() {
		for _, dark := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/dark=%t", r.name, dark), func(t *testing.T) {
				b := open(t, r, dark)
				if got := evaluate[bool](t, b, `matchMedia("(prefers-color-scheme: dark)").matches`); got != dark {
					t.Fatalf("the browser prefers dark: %t, want %t", got, dark)
				}
				const ids = `[...document.querySelectorAll("figure.chart")].map(f => f.id).join(" ")`
				if got := evaluate[string](t, b, ids); r.make != nil && got != shown[r.name] {
					t.Errorf("it shows %s, want %s", got, shown[r.name])
				}
				for _, problem := range evaluate[[]string](t, b, figuresScript) {
					t.Error(problem)
				}
				b.check(t)
			})
		}
	}
}

// TestSize holds pages to the size that can be mailed.
func TestSize(t *testing.T) {
	for _, r := range reports() {
		info, err := os.Stat(r.path(t))
		if err != nil {
			t.Fatal(err)
		}
		if info.Size() >= 3_000_000 {
			t.Errorf("%s has %d bytes, want fewer than 3 MB", r.name, info.Size())
		}
	}
}

// TestNamesStayTexts checks that names cannot become markup or code.
func TestNamesStayTexts(t *testing.T) {
	b := open(t, reports()[2], false)
	if got := evaluate[string](t, b, `document.querySelector("h1").textContent`); !strings.HasPrefix(got, "</script><script>alert") {
		t.Errorf("the title is %q", got)
	}
	if n := evaluate[int](t, b, `document.querySelectorAll("img").length`); n != 0 {
		t.Errorf("%d images came from names", n)
	}
	b.check(t)
}

// TestAccessibility runs axe-core over whole pages, with what folds unfolded. The
// large page is made of the same things, only of more.
func TestAccessibility(t *testing.T) {
	path := os.Getenv("WEFT_AXE")
	if path == "" {
		t.Skip("SKIPPED: WEFT_AXE does not name axe.min.js; the script run fetches it")
	}
	axe, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range reports() {
		if r.name == "large" {
			continue
		}
		for _, dark := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/dark=%t", r.name, dark), func(t *testing.T) {
				b := open(t, r, dark)
				evaluate[int](t, b, string(axe)+`; for (const d of document.querySelectorAll("details:not(.data), #bar-runtime details, #timeline details")) d.open = true; 0`)
				// In the dark nothing differs but the colours.
				only := ""
				if dark {
					only = `, runOnly: ["color-contrast"]`
				}
				violations := evaluate[[]string](t, b, `axe.run({exclude: [[".canvas svg"]]}, {resultTypes: ["violations"]`+only+`}).then(r => r.violations
					.filter(v => v.impact === "serious" || v.impact === "critical")
					.map(v => v.impact + ": " + v.help + ": " + v.nodes.length + " times, as in " + v.nodes[0].html.slice(0, 200) + " " + v.nodes[0].failureSummary.slice(0, 300)))`)
				for _, v := range violations {
					t.Error(v)
				}
			})
		}
	}
}

// TestKeyboard reaches what can be operated with the Tab key and operates it.
func TestKeyboard(t *testing.T) {
	b := open(t, reports()[0], false)
	// tabTo presses Tab until the script says that the right element has the focus.
	tabTo := func(what string) {
		t.Helper()
		for range 400 {
			if err := chromedp.Run(b, chromedp.KeyEvent(kb.Tab)); err != nil {
				t.Fatal(err)
			}
			if evaluate[bool](t, b, `(e => `+what+`)(document.activeElement)`) {
				return
			}
		}
		t.Fatalf("Tab does not reach %s", what)
	}
	press := func(key string) {
		t.Helper()
		if err := chromedp.Run(b, chromedp.KeyEvent(key)); err != nil {
			t.Fatal(err)
		}
	}
	tabTo(`e.classList.contains("skip")`)
	if style := evaluate[string](t, b, `getComputedStyle(document.activeElement).outlineStyle + getComputedStyle(document.activeElement).borderStyle`); !strings.Contains(style, "solid") {
		t.Errorf("the focus does not show: %s", style)
	}

	first := `document.querySelector("table.sortable tbody th").textContent`
	tabTo(`e.matches("table.sortable th:nth-child(3) button")`)
	press(kb.Enter)
	if got := evaluate[string](t, b, first); !strings.HasPrefix(got, "ARCANE") {
		t.Errorf("sorted by runtime, the first row is %q", got)
	}
	press(kb.Enter)
	// ECMP did not finish, and stays last.
	if got := evaluate[string](t, b, first); !strings.HasPrefix(got, "OPS") {
		t.Errorf("sorted the other way, the first row is %q", got)
	}
	if got := evaluate[string](t, b, `document.querySelector("table.sortable th:nth-child(3)").getAttribute("aria-sort")`); got != "descending" {
		t.Errorf("aria-sort is %q", got)
	}

	tabTo(`e.id === "time-slider"`)
	before := evaluate[string](t, b, `document.querySelector("#timeline .readout").textContent`)
	press(kb.ArrowRight)
	if after := evaluate[string](t, b, `document.querySelector("#timeline .readout").textContent`); after == before {
		t.Error("the slider of timelines does not move what is read out")
	}

	tabTo(`e.id === "map-slider"`)
	before = evaluate[string](t, b, `document.querySelector("#fabric-map .canvas").innerHTML`)
	press(kb.ArrowRight)
	if after := evaluate[string](t, b, `document.querySelector("#fabric-map .canvas").innerHTML`); after == before {
		t.Error("the slider of the map does not change it")
	}
	if got := evaluate[string](t, b, `document.activeElement.getAttribute("aria-valuetext")`); !strings.Contains(got, "µs") {
		t.Errorf("the slider says %q", got)
	}
	b.check(t)
}

// TestChoices goes through every choice of every select, and expects each to be drawn.
func TestChoices(t *testing.T) {
	for _, r := range reports()[:2] {
		b := open(t, r, false)
		n := evaluate[int](t, b, `(async () => {
			let n = 0;
			for (let i = 0; i < document.querySelectorAll("select").length; i++) {
				const values = [...document.querySelectorAll("select")[i].options].map((o) => o.value);
				const all = values.length > 12 ? values.filter((_, k) => k % 4 === 0) : values;
				for (const value of all) {
					const select = document.querySelectorAll("select")[i];
					if (!select || ![...select.options].some((o) => o.value === value)) continue;
					select.value = value;
					select.dispatchEvent(new Event("change"));
					n++;
				}
			}
			for (const f of document.querySelectorAll("figure.chart")) if (f.dataset.drawn !== "yes") throw new Error(f.id + " is not drawn");
			return n;
		})()`)
		if n < 5 {
			t.Errorf("%s has %d choices", r.name, n)
		}
		b.check(t)
	}
}

// TestThemeSwitch draws charts anew in the colours that are chosen, whatever the system's.
func TestThemeSwitch(t *testing.T) {
	b := open(t, reports()[0], false)
	ink := `document.querySelector("#bar-runtime .canvas").innerHTML.includes("#e4e7eb")`
	if evaluate[bool](t, b, ink) {
		t.Error("the charts are dark at first")
	}
	evaluate[int](t, b, `document.querySelector("#theme input[value=dark]").click(), 0`)
	if !evaluate[bool](t, b, ink) {
		t.Error("the charts do not follow the switch")
	}
	b.check(t)
}

// TestContrast holds the colours of variants to 3:1 against the page.
func TestContrast(t *testing.T) {
	for _, dark := range []bool{false, true} {
		b := open(t, reports()[0], dark)
		for _, problem := range evaluate[[]string](t, b, `(() => {
			const style = getComputedStyle(document.documentElement);
			const light = (hex) => {
				const [r, g, b] = [1, 3, 5].map((o) => { const v = parseInt(hex.slice(o, o + 2), 16) / 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; });
				return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
			};
			const bg = light(style.getPropertyValue("--bg").trim());
			return Array.from({ length: 8 }, (_, i) => style.getPropertyValue("--c" + i).trim())
				.map((c) => [c, Math.max(light(c), bg) / Math.min(light(c), bg)]).filter(([, r]) => !(r >= 3)).map(([c, r]) => c + " has " + r.toFixed(2));
		})()`) {
			t.Errorf("dark=%t: %s", dark, problem)
		}
	}
}

// tooWide lists what reaches beyond the window and is not in a box that scrolls.
const tooWide = `(() => {
	const width = document.documentElement.clientWidth;
	return [...document.querySelectorAll("body *")]
		.filter((e) => e.getBoundingClientRect().right > width + 1 && !e.closest(".scroll, .command pre, .canvas.loose, .hidden, svg *"))
		.map((e) => e.tagName + "." + e.className + " in " + (e.closest("figure, section")?.id ?? "") + " reaches " + Math.round(e.getBoundingClientRect().right) + " of " + width);
})()`

// tooNarrow lists charts that leave much of a narrow window empty.
const tooNarrow = `[...document.querySelectorAll(".canvas .uplot, .canvas > svg")]
	.filter((e) => e.getBoundingClientRect().width < 0.7 * document.documentElement.clientWidth)
	.map((e) => e.closest("figure").id + " is " + Math.round(e.getBoundingClientRect().width) + " wide")`

// TestPhone opens pages in a window as wide as a phone, folded and unfolded.
func TestPhone(t *testing.T) {
	for _, r := range reports() {
		t.Run(r.name, func(t *testing.T) {
			b := open(t, r, false)
			if err := chromedp.Run(b, chromedp.EmulateViewport(400, 800)); err != nil {
				t.Fatal(err)
			}
			// The page draws its charts anew a little after its window has changed.
			width := evaluate[int](t, b, `new Promise((done) => setTimeout(() => done(document.documentElement.scrollWidth), 1000))`)
			if width > 400 {
				t.Errorf("the page is %d wide in a window of 400", width)
			}
			for _, what := range evaluate[[]string](t, b, tooWide) {
				t.Error(what)
			}
			for _, narrow := range evaluate[[]string](t, b, tooNarrow) {
				t.Error(narrow)
			}
			width = evaluate[int](t, b, `(() => { for (const d of document.querySelectorAll("details")) d.open = true; })(),
				new Promise((done) => setTimeout(() => done(document.documentElement.scrollWidth), 500))`)
			if width > 400 {
				t.Errorf("unfolded, the page is %d wide in a window of 400", width)
			}
			for _, what := range evaluate[[]string](t, b, tooWide) {
				t.Errorf("unfolded: %s", what)
			}
			b.check(t)
		})
	}
}

// TestPrint prints a dark page, which must come out light and whole, and be dark again.
func TestPrint(t *testing.T) {
	b := open(t, reports()[0], true)
	evaluate[int](t, b, `addEventListener("beforeprint", () => {
		window.printed = {theme: document.documentElement.dataset.theme, folded: document.querySelectorAll("details[data-print]:not([open])").length,
			wide: [...document.querySelectorAll("figure.chart svg")].filter((s) => s.getAttribute("width") > 690).map((s) => s.closest("figure").id + s.getAttribute("width")).join(" "),
			paper: document.querySelectorAll(".print-only path").length};
	}); 0`)
	var pdf []byte
	if err := chromedp.Run(b, chromedp.ActionFunc(func(ctx context.Context) (err error) {
		pdf, _, err = page.PrintToPDF().WithPreferCSSPageSize(true).Do(ctx)
		return err
	})); err != nil {
		t.Fatal(err)
	}
	if len(pdf) < 20000 {
		t.Errorf("the PDF has %d bytes", len(pdf))
	}
	got := evaluate[map[string]any](t, b, `window.printed`)
	if got["theme"] != "light" || got["folded"] != 0.0 || got["wide"] != "" || got["paper"].(float64) < 10 {
		t.Errorf("printed %v, want the light theme, nothing folded, nothing wider than the paper, and timelines as SVG", got)
	}
	if theme := evaluate[string](t, b, `getComputedStyle(document.documentElement).colorScheme`); theme != "dark" {
		t.Errorf("after printing the page is %s", theme)
	}
	b.check(t)
}
