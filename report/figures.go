// Package report makes what people look at from the folders that runs leave: a
// table for the terminal, and figures for papers. Everything it makes can be
// made again.
package report

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"weft/internal/nearest"
	"weft/record"
)

// Options choose how figures are written. The zero value writes every format.
type Options struct {
	// Formats are some of png, svg and pdf; none means all three.
	Formats []string
}

// Drawn is what Figures made.
type Drawn struct {
	// Files are the paths of the figures.
	Files []string
	// Notices say which figures there were no data for, and what does not show
	// in those that were drawn.
	Notices []string
}

// figure is a drawing of a fixed size.
type figure struct {
	// name is the file's name without extension.
	name          string
	width, height vg.Length
	draw          func(draw.Canvas)
}

// Figures draws the runs in a folder that weft wrote, one run or a comparison,
// and writes the figures into its subfolder "figures":
//
//   - ports: rates and queues of the recorded ports over time, and drops if there
//     were any, a panel a variant, after ARCANE's Figures 1, 3 and 6;
//   - windows: congestion windows of the recorded connections and what they had in
//     flight, if any were recorded;
//   - credit: where the credit of receiver-driven transports is over time, a panel a
//     variant, what receivers have not granted above what they have, if it was recorded;
//   - fct-cdf: the distribution of flow completion times, all variants in one
//     plot and a plot a group of traffic;
//   - slowdown-cdf: the same of slowdowns, if messages differ in size;
//   - runtime: bars from the first start to the last finish;
//   - slowdown: bars of slowdowns in its place, if all runs end while load is offered.
//
// The figures are as wide as a column of a two-column paper, with text of 7 to
// 8 points; ports and windows of four variants and more are as wide as a page.
func Figures(dir string, o Options) (Drawn, error) {
	formats, err := o.formats()
	if err != nil {
		return Drawn{}, err
	}
	runs, err := load(dir)
	if err != nil {
		return Drawn{}, err
	}
	out := filepath.Join(dir, record.FiguresFolder)
	if err := os.MkdirAll(out, 0o777); err != nil {
		return Drawn{}, fmt.Errorf("%s: cannot write figures there: %w", out, err)
	}
	var drawn Drawn
	var names []string
	for _, make := range []func([]run) (*figure, []string){portFigure, windowFigure, creditFigure, fctFigure, slowdownFigure, runtimeFigure} {
		f, notices := make(runs)
		drawn.Notices = append(drawn.Notices, notices...)
		if f == nil {
			continue
		}
		for _, format := range formats {
			path := filepath.Join(out, f.name+"."+format)
			if err := f.save(path, format); err != nil {
				return drawn, fmt.Errorf("drawing %s: %w", path, err)
			}
			drawn.Files = append(drawn.Files, path)
			names = append(names, filepath.Base(path))
		}
	}
	if err := record.KeepFigures(out, names); err != nil {
		return drawn, fmt.Errorf("%s: cannot write figures there: %w", out, err)
	}
	return drawn, nil
}

func (o Options) formats() ([]string, error) {
	all := []string{"png", "svg", "pdf"}
	if len(o.Formats) == 0 {
		return all, nil
	}
	for _, f := range o.Formats {
		if slices.Contains(all, f) {
			continue
		}
		hint := ""
		if n, ok := nearest.Name(f, all); ok {
			hint = fmt.Sprintf("; did you mean %q?", n)
		}
		return nil, fmt.Errorf("figures cannot be written as %q%s; allowed: %s", f, hint, strings.Join(all, ", "))
	}
	return slices.Compact(slices.Sorted(slices.Values(o.Formats))), nil
}
