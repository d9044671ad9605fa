package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"weft/record"
	"weft/report/page"
	"weft/study"
)

func (p *program) report() *cobra.Command {
	var out string
	c := &cobra.Command{
		Use:   "report DIR...",
		Short: "Write one HTML file that shows runs, comparisons or studies",
		Long: `Write a report of the results in the folders: one HTML file that holds its data and
the libraries that draw it, and needs neither network nor server. It starts with the
best variant: where it is best, by how much and how sure. Several folders are shown
side by side, in report.html of the working folder. A study may be incomplete.`,
		Example: `  weft report out/slow-uplink
  weft report out/before out/after --out compared.html`,
		Args: atLeast("a folder of results"),
		RunE: func(_ *cobra.Command, dirs []string) error {
			here := out == "" && len(dirs) > 1
			switch {
			case out != "":
			case here: // the first folder has a report of its own
				out = record.ReportFile
			default:
				out = filepath.Join(dirs[0], record.ReportFile)
			}
			r, err := p.gather(dirs)
			if err != nil {
				return badInput(err)
			}
			if err := writeFile(out, func(w io.Writer) error { return page.Write(w, r) }); err != nil {
				return err
			}
			if here {
				place, err := filepath.Abs(out)
				if err != nil {
					return err
				}
				p.notices([]string{fmt.Sprintf("the report of several folders is in %s; --out writes it elsewhere", place)})
			}
			_, err = fmt.Fprintln(p.stdout, out)
			return err
		},
	}
	c.Flags().StringVar(&out, "out", "", "file to write (default report.html in the folder, or here for several folders)")
	return c
}

// writeReport writes the report of a folder into it and returns its path.
func (p *program) writeReport(dir string) (string, error) {
	r, err := p.gather([]string{dir})
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, record.ReportFile)
	return path, writeFile(path, func(w io.Writer) error { return page.Write(w, r) })
}

// gather reads what a report shows.
func (p *program) gather(dirs []string) (*page.Report, error) {
	if len(dirs) == 1 && study.IsStudy(dirs[0]) {
		return p.gatherStudy(dirs[0])
	}
	out := &page.Report{}
	var names []string
	for _, dir := range dirs {
		one := &page.Report{}
		var err error
		if study.IsStudy(dir) {
			one, err = p.gatherStudy(dir)
		} else {
			one, err = p.gatherRuns(dir)
		}
		if err != nil {
			return nil, err
		}
		names = append(names, one.Title)
		if len(dirs) > 1 {
			for i := range one.Variants {
				one.Variants[i].Name = filepath.Clean(dir) + ": " + one.Variants[i].Name
			}
		}
		out.About = one.About
		out.Variants = append(out.Variants, one.Variants...)
		out.Commands = append(out.Commands, one.Commands...)
		out.Notices = append(out.Notices, one.Notices...)
	}
	slices.Sort(names)
	out.Title = strings.Join(slices.Compact(names), ", ")
	if len(dirs) > 1 {
		out.About = ""
	}
	return out, nil
}

// gatherRuns reads a run or a comparison. Of a comparison it passes over what cannot be read.
func (p *program) gatherRuns(dir string) (*page.Report, error) {
	variants, err := record.Variants(dir)
	if err != nil {
		return nil, err
	}
	out := &page.Report{}
	var bad damaged
	for _, v := range variants {
		r, err := record.ReadFolder(v.Folder)
		if err != nil {
			bad.add(err)
			continue
		}
		out.Variants = append(out.Variants, page.Variant{Name: v.Name, Runs: []*page.Reduced{page.Reduce(r, page.Options{})}})
		out.Title, out.About = scenarioName(&r.Manifest)
		if c := r.Manifest.Command; c != "" && !slices.Contains(out.Commands, c) {
			out.Commands = append(out.Commands, c)
		}
	}
	if len(out.Variants) == 0 && bad.runs > 0 {
		return nil, bad.first
	}
	out.Notices = bad.notices("weft run makes them again")
	p.notices(out.Notices)
	return out, nil
}

// damaged counts runs that cannot be read.
type damaged struct {
	runs  int
	first error
}

func (d *damaged) add(err error) {
	if d.runs++; d.first == nil {
		d.first = err
	}
}

// notices says that runs are left out, and what to do.
func (d *damaged) notices(remedy string) []string {
	if d.runs == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s cannot be read and %s left out; %s. The first: %v",
		counted(d.runs, "run"), map[bool]string{true: "is", false: "are"}[d.runs == 1], remedy, d.first)}
}

// mostDetailed bounds the runs of a study that a report reads whole: the numbers of
// its tables are of all runs anyway, from the index.
const mostDetailed = 400

// gatherStudy reads a study: the table from its index, and details from runs.
func (p *program) gatherStudy(dir string) (*page.Report, error) {
	s, err := study.Open(dir)
	if err != nil {
		return nil, err
	}
	out := &page.Report{Title: s.Plan.Name, About: s.Plan.About, Table: s.Table()}
	command := "weft study run " + s.Plan.Source
	for _, set := range s.Plan.Sets {
		command += " --set " + shellWord(set)
	}
	out.Commands = []string{command + " --out " + shellWord(dir)}
	perCell := max(1, mostDetailed/max(1, len(s.Plan.Cells)))
	seeds := s.Plan.Seeds[:min(perCell, len(s.Plan.Seeds))]
	watch := p.newWatch("reading runs", len(s.Plan.Cells)*len(seeds))
	defer watch.end()
	left := 0
	var bad damaged
	for i, c := range s.Plan.Cells {
		v := page.Variant{Name: c.Name}
		for _, run := range s.Plan.Of(i, seeds) {
			watch.step()
			if left == mostDetailed {
				break
			}
			r, err := s.Result(run)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				bad.add(err)
				continue
			}
			v.Runs = append(v.Runs, page.Reduce(r, page.Options{NumbersOnly: len(v.Runs) > 0}))
		}
		if len(v.Runs) > 0 {
			left++
		}
		out.Variants = append(out.Variants, v)
	}
	out.Notices = bad.notices("weft study resume " + shellWord(dir) + " runs them again. Tables have their numbers from the index")
	p.notices(out.Notices)
	if failures := s.Failures(study.Part{}); len(failures) > 0 {
		out.Notices = append(out.Notices, fmt.Sprintf("%s failed or got stuck, the first: %s, seed %d: %s",
			counted(len(failures), "run"), failures[0].Name, failures[0].Seed, failures[0].Message))
	}
	if len(seeds) < len(s.Plan.Seeds) {
		out.Notices = append(out.Notices, fmt.Sprintf("distributions show the first %d of %d seeds; tables show all", len(seeds), len(s.Plan.Seeds)))
	}
	return out, nil
}

// scenarioName returns name and sentence of the scenario of a manifest.
func scenarioName(m *record.Manifest) (name, about string) {
	name = m.Name
	n, err := m.ScenarioText("name")
	if err == nil && n != "" {
		name = n
	}
	about, _ = m.ScenarioText("about")
	return name, about
}

// watch tells on a terminal how far something is that may take long.
type watch struct {
	*program
	what    string
	of, now int
	began   time.Time
	shown   bool
}

func (p *program) newWatch(what string, of int) *watch {
	return &watch{program: p, what: what, of: of, began: time.Now()}
}

func (w *watch) step() {
	w.now++
	took := time.Since(w.began)
	if took < time.Second || !isTerminal(w.stderr) {
		return
	}
	w.shown = true
	left := time.Duration(float64(took) * float64(w.of-w.now) / float64(w.now))
	fmt.Fprintf(w.stderr, "\r\x1b[K%s: %d of %d, about %s left", w.what, w.now, w.of, clock(left))
}

func (w *watch) end() {
	if w.shown {
		fmt.Fprint(w.stderr, "\r\x1b[K")
	}
}
