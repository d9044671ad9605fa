// Package report makes tables and figures for people from the folders of runs: a table for the
// terminal, and figures for papers. Everything it makes can be made again.
package report

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"weft/internal/nearest"
	"weft/record"
	"weft/record/section/jobs"
)

// Options choose which figures are written, and how. The zero value writes all that there
// are data for, in every format.
type Options struct {
	// Formats are some of png, svg and pdf; none means all three.
	Formats []string
	// Only are names of figures, as FigureNames has them; none means all.
	Only  []string
	Width Width
	// Out is the folder to write to; "" means the subfolder "figures".
	Out string
}

// Drawn lists the figures that Figures made.
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

// kind is a kind of figure of runs.
type kind struct {
	name string
	make func([]run, paper) ([]*figure, []string)
}

// kinds are the figures of runs: runtimes, or slowdowns in their place if load is offered
// until the runs end, come last.
func kinds() []kind {
	return []kind{
		{"ports", portFigures}, {"windows", windowFigures}, {"credit", creditFigures},
		{"fct-cdf", fctFigures}, {"slowdown-cdf", slowdownFigures}, {SizesFigure, sizeFigures},
		{"links", linkFigures}, {"link-map", linkMapFigures}, {"jobs", jobFigures}, {"ranks", rankFigures},
		{"runtime", runtimeFigures}, {"slowdown", slowdownBars},
	}
}

// FigureNames are the names of the figures of a run or a comparison.
func FigureNames() []string {
	var names []string
	for _, k := range kinds() {
		names = append(names, k.name)
	}
	return names
}

// Figures draws the runs in a folder that weft wrote, one run or a comparison,
// and writes the figures into its subfolder "figures", or into another folder:
//
//   - ports: rates and queues of the recorded ports over time, and drops if there
//     were any, a panel per variant, after ARCANE's Figures 1, 3 and 6;
//   - windows: congestion windows of the recorded connections and what they had in
//     flight, if any were recorded;
//   - credit: where the credit of receiver-driven transports is over time, a panel per
//     variant, what receivers have not granted above what they have, if it was recorded;
//   - fct-cdf: the distribution of flow completion times, all variants in one
//     plot and a plot per group of traffic;
//   - slowdown-cdf: the same of slowdowns, if messages differ in size;
//   - slowdown-by-size: median and 99th percentile of slowdowns over message size;
//   - links: how long each link between switches was sending, from the most loaded to the least, all
//     variants in one plot;
//   - link-map: from which groups of switches to which these links lead, in shades of that time, if there are many;
//   - jobs: bars of the time of traces that hosts replayed, cut into what their ranks did;
//   - ranks: what the ranks of a trace did over time, a figure per run;
//   - runtime: bars from the first start to the last finish;
//   - slowdown: bars of slowdowns in its place, if all runs end while load is offered.
//
// Text is of 7 to 8 points. A figure is as wide as a column of a two-column paper, or as a
// page if it is too tall otherwise, and never taller than a sheet of paper is at its width:
// panels without room stand on further figures, with a number behind the name.
func Figures(dir string, o Options) (Drawn, error) {
	formats, err := o.formats()
	if err != nil {
		return Drawn{}, err
	}
	for _, name := range o.Only {
		if names := FigureNames(); !slices.Contains(names, name) {
			return Drawn{}, fmt.Errorf("there is no figure %q of a run; %s", name, nearest.Remedy(name, "there are", names))
		}
	}
	runs, err := load(dir)
	if err != nil {
		return Drawn{}, err
	}
	out := cmp.Or(o.Out, filepath.Join(dir, record.FiguresFolder))
	if err := os.MkdirAll(out, 0o777); err != nil {
		return Drawn{}, fmt.Errorf("%s: cannot write figures there: %w", out, err)
	}
	var drawn Drawn
	for _, k := range kinds() {
		asked := slices.Contains(o.Only, k.name)
		if len(o.Only) > 0 && !asked || len(o.Only) == 0 && !k.suits(runs) {
			continue
		}
		figures, notices := k.make(runs, paper{width: vg.Length(o.Width)})
		if asked && len(figures) == 0 && len(notices) == 0 {
			notices = []string{k.name + ": not drawn, because nothing was recorded for it; see record: in the scenario"}
		}
		for _, text := range notices {
			if !slices.Contains(drawn.Notices, text) {
				drawn.Notices = append(drawn.Notices, text)
			}
		}
		if err := drawn.save(figures, out, formats); err != nil {
			return drawn, err
		}
	}
	if o.Out != "" { // a folder of the user's has no list of what is in it
		return drawn, nil
	}
	var names []string
	for _, path := range drawn.Files {
		names = append(names, filepath.Base(path))
	}
	if err := record.KeepFigures(out, names); err != nil {
		return drawn, fmt.Errorf("%s: cannot write figures there: %w", out, err)
	}
	return drawn, nil
}

// suits tells whether a figure is drawn of runs for which nobody chose figures.
func (k kind) suits(runs []run) bool {
	switch k.name {
	case "links", "link-map":
		least := 2
		if k.name == "link-map" {
			least = mapFrom
		}
		return slices.ContainsFunc(runs, func(r run) bool { return len(r.links) >= least && r.links[0].busy > 0 })
	case "jobs", "ranks":
		return slices.ContainsFunc(runs, func(r run) bool { return jobs.Of(r.Sections) != nil })
	case "runtime":
		return !allOffered(runs)
	case "slowdown":
		return allOffered(runs)
	}
	return true
}

// allOffered tells whether load is offered to all runs until they end: their runtime is how
// long that was.
func allOffered(runs []run) bool {
	return !slices.ContainsFunc(runs, func(r run) bool { return r.Summary.Stability == nil })
}

// save writes figures into a folder.
func (d *Drawn) save(figures []*figure, folder string, formats []string) error {
	for _, f := range figures {
		for _, format := range formats {
			path := filepath.Join(folder, f.name+"."+format)
			if err := f.save(path, format); err != nil {
				return fmt.Errorf("drawing %s: %w", path, err)
			}
			d.Files = append(d.Files, path)
		}
	}
	return nil
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
