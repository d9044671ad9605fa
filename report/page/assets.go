package page

import (
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"strings"
)

//go:embed assets
var assets embed.FS

// libraries are the vendored libraries in the order in which they load.
var libraries = []string{"vega.min.js", "vega-lite.min.js", "uPlot.iife.min.js"}

// versions says what the page is drawn with.
const versions = "Vega 6.4.0, Vega-Lite 6.4.3, uPlot 1.6.32"

// scripts are the page's own, which share one scope: what is used comes before.
var scripts = []string{
	"base.js", "theme.js", "figure.js", "vegachart.js", "tables.js", "panels.js", "bars.js", "sizes.js", "cdf.js",
	"studychart.js", "timesvg.js", "timeline.js", "map.js", "main.js",
}

// frameTemplate returns the page's frame.
func frameTemplate() *template.Template {
	return template.Must(template.ParseFS(assets, "assets/page.html.tmpl"))
}

// read returns the text of an asset. They are compiled in: one that is missing is a
// mistake in this package.
func read(name string) (string, error) {
	b, err := fs.ReadFile(assets, "assets/"+name)
	if err != nil {
		return "", fmt.Errorf("the page's own files: %w", err)
	}
	return string(b), nil
}

// styleSheet returns all style sheets as one.
func styleSheet() (template.CSS, error) {
	var b strings.Builder
	for _, name := range []string{"vendor/uPlot.min.css", "page.css", "print.css"} {
		text, err := read(name)
		if err != nil {
			return "", err
		}
		b.WriteString(text + "\n")
	}
	return template.CSS(b.String()), nil
}

// javaScript returns the libraries and the page's own scripts.
func javaScript() ([]template.JS, error) {
	var all []template.JS
	for _, name := range libraries {
		text, err := read("vendor/" + name)
		if err != nil {
			return nil, err
		}
		// The source maps are not there, and developer tools would ask for them.
		text, _, _ = strings.Cut(text, "//# sourceMappingURL=")
		all = append(all, template.JS(text))
	}
	var own strings.Builder
	own.WriteString("(() => {\n\"use strict\";\n")
	for _, name := range scripts {
		text, err := read(name)
		if err != nil {
			return nil, err
		}
		own.WriteString(text + "\n")
	}
	own.WriteString("})();\n")
	return append(all, template.JS(own.String())), nil
}
