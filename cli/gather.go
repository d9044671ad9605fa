package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"path/filepath"
	"slices"
	"strings"

	"weft/internal/readable"
	"weft/record"
	"weft/report"
	"weft/report/page"
	"weft/study"
)

// gather reads what a report shows.
func (p *program) gather(dirs []string) (*page.Report, error) {
	progress, done := p.share("reading results")
	defer done()
	if len(dirs) == 1 {
		out, err := gatherFolder(dirs[0], progress)
		if err != nil {
			return nil, err
		}
		done()
		p.notices(out.told)
		return out.Report, nil
	}
	out := &page.Report{}
	var names, told []string
	folders := inOrder(len(dirs), func(i int) (folderReport, error) { return gatherFolder(dirs[i], nil) }, progress)
	for i, one := range folders {
		if one.err != nil {
			return nil, one.err
		}
		r := one.value
		names = append(names, r.Title)
		for k := range r.Variants {
			r.Variants[k].Name = filepath.Clean(dirs[i]) + ": " + r.Variants[k].Name
		}
		out.Variants = append(out.Variants, r.Variants...)
		out.Commands = append(out.Commands, r.Commands...)
		out.Notices = append(out.Notices, r.Notices...)
		told = append(told, r.told...)
	}
	done()
	p.notices(told)
	slices.Sort(names)
	out.Title = strings.Join(slices.Compact(names), ", ")
	return out, nil
}

// folderReport is what a report shows of a folder, with the notices that are printed, too.
type folderReport struct {
	*page.Report
	told []string
}

// gatherFolder reads a run, a comparison or a study.
func gatherFolder(dir string, progress func(share float64)) (folderReport, error) {
	if !study.IsStudy(dir) {
		return gatherRuns(dir, progress)
	}
	s, err := study.Open(dir)
	if err != nil {
		return folderReport{}, err
	}
	return gatherStudy(s, nil, progress), nil
}

// gatherRuns reads a run or a comparison. Of a comparison it passes over what cannot be read.
func gatherRuns(dir string, progress func(share float64)) (folderReport, error) {
	variants, err := record.Variants(dir)
	if err != nil {
		return folderReport{}, err
	}
	out := &page.Report{}
	var bad damaged
	for i, r := range inOrder(len(variants), func(i int) (*record.Result, error) { return record.ReadFolder(variants[i].Folder) }, progress) {
		if r.err != nil {
			bad.add(r.err)
			continue
		}
		out.Variants = append(out.Variants, page.Variant{Name: variants[i].Name, Runs: []*page.Reduced{page.Reduce(r.value, page.Options{})}})
		out.Title, out.About = scenarioName(&r.value.Manifest)
		if c := r.value.Manifest.Command; c != "" && !slices.Contains(out.Commands, c) {
			out.Commands = append(out.Commands, c)
		}
	}
	if len(out.Variants) == 0 && bad.runs > 0 {
		return folderReport{}, bad.first
	}
	out.Notices = bad.notices("weft run makes them again")
	return folderReport{out, out.Notices}, nil
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
		readable.Count(d.runs, "run"), map[bool]string{true: "is", false: "are"}[d.runs == 1], remedy, d.first)}
}

// mostDetailed bounds the runs of a study that are read whole: the numbers of its tables are
// of all runs anyway, from the index.
const mostDetailed = 400

// detailedRuns are the runs of a study that are read whole: those of all seeds, or of as many
// as there is room for. Some may be missing.
func detailedRuns(s *study.Study) (runs []cellRun, seeds int) {
	perCell := max(1, mostDetailed/max(1, len(s.Plan.Cells)))
	seeds = min(perCell, len(s.Plan.Seeds))
	cells := 0
	for i := range s.Plan.Cells {
		began := false
		for _, run := range s.Plan.Of(i, s.Plan.Seeds[:seeds]) {
			// A damaged run has no entry, and is told of when it is read.
			runs = append(runs, cellRun{i, run})
			_, ok := s.Entry(run)
			began = began || ok
		}
		if began {
			cells++
		}
		if cells == mostDetailed {
			break
		}
	}
	return runs, seeds
}

// cellRun is a run of a cell of a study.
type cellRun struct {
	cell int
	study.Run
}

// readRuns reads runs of a study, and yields them in order.
func readRuns(s *study.Study, runs []cellRun, progress func(share float64)) iter.Seq2[int, outcome[*record.Result]] {
	return inOrder(len(runs), func(i int) (*record.Result, error) { return s.Result(runs[i].Run) }, progress)
}

// gatherStudy reads a study: the table from its index, and details from runs. Sizes, if they
// are not nil, get the messages of the runs that are read.
func gatherStudy(s *study.Study, sizes *report.StudySizes, progress func(share float64)) folderReport {
	out := &page.Report{Title: s.Plan.Name, About: s.Plan.About, Table: s.Table()}
	command := "weft study run " + s.Plan.Source
	for _, set := range s.Plan.Sets {
		command += " --set " + shellWord(set)
	}
	out.Commands = []string{command + " --out " + shellWord(s.Dir)}
	for _, c := range s.Plan.Cells {
		out.Variants = append(out.Variants, page.Variant{Name: c.Name})
	}
	runs, seeds := detailedRuns(s)
	var bad damaged
	for i, r := range readRuns(s, runs, progress) {
		switch v := &out.Variants[runs[i].cell]; {
		case errors.Is(r.err, fs.ErrNotExist):
		case r.err != nil:
			bad.add(r.err)
		default:
			v.Runs = append(v.Runs, page.Reduce(r.value, page.Options{NumbersOnly: len(v.Runs) > 0}))
			if sizes != nil {
				sizes.Add(v.Name, r.value)
			}
		}
	}
	out.Notices = bad.notices("weft study resume " + shellWord(s.Dir) + " runs them again. Tables have their numbers from the index")
	told := slices.Clone(out.Notices)
	if failures := s.Failures(study.Part{}); len(failures) > 0 {
		out.Notices = append(out.Notices, fmt.Sprintf("%s failed or got stuck, the first: %s, seed %d: %s",
			readable.Count(len(failures), "run"), failures[0].Name, failures[0].Seed, failures[0].Message))
	}
	if seeds < len(s.Plan.Seeds) {
		out.Notices = append(out.Notices, fmt.Sprintf("distributions are of the first %d of %d seeds; tables are of all", seeds, len(s.Plan.Seeds)))
	}
	return folderReport{out, told}
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
