package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"weft/internal/printable"
	"weft/internal/readable"
	"weft/internal/tabular"
	"weft/record"
	"weft/study"
)

func (p *program) runs() *cobra.Command {
	var filter runFilter
	var asJSON bool
	c := &cobra.Command{
		Use:   "runs [DIR]",
		Short: "List, filter, show, unpack and remove runs",
		Long: `List the runs in a folder (default out): those of studies, and the folders of
weft run. In a study, conditions name its axes or metrics.`,
		Example: `  weft runs
  weft runs out/uplink-faults --status failed,dead
  weft runs out/uplink-faults --where variant=ARCANE,OPS --where 'fct_p99_us>500'
  weft runs show out/uplink-faults 3f8a
  weft runs remove out/uplink-faults --stale`,
		Args: atMost("one folder"),
		RunE: func(_ *cobra.Command, args []string) error {
			dir := "out"
			if len(args) == 1 {
				dir = args[0]
			}
			found, err := findRuns(dir)
			if err != nil {
				return badInput(err)
			}
			p.warnOf(found)
			if found, err = filter.choose(found); err != nil {
				return badInput(err)
			}
			if asJSON {
				for i := range found {
					if err := writeJSONLine(p.stdout, found[i]); err != nil {
						return err
					}
				}
				return nil
			}
			return p.listRuns(found)
		},
	}
	filter.add(c)
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object per run and line")
	c.AddCommand(p.runsShow(), p.runsUnpack(), p.runsRemove())
	return c
}

// foundRun is a run on disk.
type foundRun struct {
	study.Entry
	// Folder is that of its study, or its own.
	Folder string `json:"folder"`
	// Levels are the labels of its cell by axis, of a study.
	Levels map[string]string `json:"levels,omitempty"`
	// Stale runs are not of the study's present plan: of an earlier state of its
	// file, or of another program.
	Stale bool `json:"stale,omitempty"`

	study *study.Study
}

const runtimeMetric = "runtime_us"

// cutShort tells whether messages are missing from the end of a run, so that its runtime
// is a bound.
func (f *foundRun) cutShort() bool {
	return f.Status == study.Partial || f.Metrics["unfinished"]+f.Metrics["not_started"] > 0
}

// findRuns lists the runs in a folder, and in the folders within it.
func findRuns(dir string) ([]foundRun, error) {
	if study.IsStudy(dir) {
		return studyRuns(dir)
	}
	if variants, err := record.Variants(dir); err == nil {
		var list []foundRun
		for _, v := range variants {
			m, s, err := record.ReadManifest(v.Folder)
			if err != nil {
				return nil, err
			}
			list = append(list, foundRun{Entry: study.EntryOf(&m, &s), Folder: v.Folder})
		}
		return list, nil
	}
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: there is no such folder; name one that weft run or weft study run wrote, or a parent of such folders", dir)
	}
	if errors.Is(err, syscall.ENOTDIR) {
		return nil, fmt.Errorf("%s: a file; name a folder that weft run or weft study run wrote, or a parent of such folders", dir)
	}
	if err != nil {
		return nil, err
	}
	var list []foundRun
	for _, e := range entries {
		if !e.IsDir() || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		inner := filepath.Join(dir, e.Name())
		if _, err := record.Variants(inner); err != nil && !study.IsStudy(inner) {
			continue
		}
		runs, err := findRuns(inner)
		if err != nil {
			return nil, err
		}
		list = append(list, runs...)
	}
	return list, nil
}

func studyRuns(dir string) ([]foundRun, error) {
	s, err := study.Open(dir)
	if err != nil {
		return nil, err
	}
	var list []foundRun
	for _, r := range s.Plan.Runs() {
		e, ok := s.Entry(r)
		if !ok {
			continue
		}
		f := foundRun{Entry: e, Folder: dir, Levels: map[string]string{}, study: s}
		for i, a := range s.Plan.Axes {
			f.Levels[a.Name] = a.Levels[s.Plan.Cells[r.Cell].Levels[i]]
		}
		list = append(list, f)
	}
	for _, e := range s.Others() {
		list = append(list, foundRun{Entry: e, Folder: dir, Stale: true, study: s})
	}
	return list, nil
}

// warnOf says what is wrong in the folders of the studies that runs are of.
func (p *program) warnOf(found []foundRun) {
	seen := map[*study.Study]bool{}
	for _, f := range found {
		if f.study != nil && !seen[f.study] {
			seen[f.study] = true
			p.notices(f.study.Warnings())
		}
	}
}

// listRuns writes one row per run.
func (p *program) listRuns(found []foundRun) error {
	rows := [][]string{{"key", "folder", "run", "seed", "status", "wall s", "runtime µs", "p99 FCT µs", "result"}}
	metric := func(f *foundRun, name string) string {
		v, ok := f.Metrics[name]
		if !ok {
			return "–"
		}
		text := strconv.FormatFloat(v, 'f', 1, 64)
		if name == runtimeMetric && f.cutShort() {
			if _, loaded := f.Metrics["backlog_growth_percent"]; loaded && f.Status != study.Partial {
				return "–" // load was offered until the end, whenever that was
			}
			text = ">" + text
		}
		return text
	}
	for i := range found {
		f := &found[i]
		status := string(f.Status)
		if f.Stale {
			status += " (stale)"
		}
		rows = append(rows, []string{
			f.Key[:min(8, len(f.Key))], printable.Line(f.Folder), f.Name, strconv.FormatUint(f.Seed, 10), status,
			strconv.FormatFloat(f.Took.Seconds(), 'f', 2, 64), metric(f, runtimeMetric), metric(f, "fct_p99_us"), f.Hash[:min(8, len(f.Hash))],
		})
	}
	if err := tabular.Write(p.stdout, rows, 3, 0); err != nil {
		return err
	}
	_, err := fmt.Fprintf(p.stdout, "%s\n", readable.Count(len(found), "run"))
	return err
}

// pickRun finds a run of a study by the beginning of its key.
func pickRun(dir, key string) (foundRun, error) {
	found, err := studyRuns(dir)
	if err != nil {
		return foundRun{}, err
	}
	found = slices.DeleteFunc(found, func(f foundRun) bool { return key == "" || !strings.HasPrefix(f.Key, key) })
	switch len(found) {
	case 0:
		return foundRun{}, fmt.Errorf("%s has no run whose key begins with %q; weft runs %[1]s lists them", dir, key)
	case 1:
		return found[0], nil
	}
	return foundRun{}, fmt.Errorf("%d keys begin with %q; give more of the key", len(found), key)
}

func (p *program) runsShow() *cobra.Command {
	return &cobra.Command{
		Use:   "show DIR KEY",
		Short: "Print a study's run as JSON: index entry, summary and manifest",
		Args:  exactly("the folder of a study", "the beginning of a key"),
		RunE: func(_ *cobra.Command, args []string) error {
			f, err := pickRun(args[0], args[1])
			if err != nil {
				return badInput(err)
			}
			shown := struct {
				foundRun
				Summary  *record.Summary  `json:"summary,omitempty"`
				Manifest *record.Manifest `json:"manifest,omitempty"`
			}{foundRun: f}
			if r, err := f.study.Store().Result(f.Key); err == nil {
				shown.Summary, shown.Manifest = &r.Summary, &r.Manifest
			} else if !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			return writeJSON(p.stdout, shown)
		},
	}
}

func (p *program) runsUnpack() *cobra.Command {
	return &cobra.Command{
		Use:   "unpack DIR KEY FOLDER",
		Short: "Write the result of a study's run as plain files, as weft run does",
		Args:  exactly("the folder of a study", "the beginning of a key", "the folder to write"),
		RunE: func(_ *cobra.Command, args []string) error {
			f, err := pickRun(args[0], args[1])
			if err != nil {
				return badInput(err)
			}
			defer p.interrupts.hold()()
			if err := f.study.Store().Unpack(f.Key, args[2]); err != nil {
				return badInput(err)
			}
			_, err = fmt.Fprintf(p.stdout, "%s, seed %d: in %s\n", f.Name, f.Seed, printable.Line(args[2]))
			return err
		},
	}
}

func (p *program) runsRemove() *cobra.Command {
	var filter runFilter
	var all bool
	c := &cobra.Command{
		Use:   "remove DIR [KEY]...",
		Short: "Remove runs of a study; weft study resume repeats those in its plan",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			s, err := study.Open(args[0])
			if err != nil {
				return badInput(err)
			}
			var chosen []foundRun
			for _, key := range args[1:] {
				f, err := pickRun(args[0], key)
				if err != nil {
					return badInput(err)
				}
				chosen = append(chosen, f)
			}
			if len(args) == 1 {
				if !all && !filter.stale && len(filter.status) == 0 && len(filter.where) == 0 {
					return badInput(errors.New("name the runs: keys, --where, --status, --stale, or --all"))
				}
				if chosen, err = studyRuns(args[0]); err != nil {
					return badInput(err)
				}
			}
			if chosen, err = filter.choose(chosen); err != nil {
				return badInput(err)
			}
			keys := make([]string, len(chosen))
			for i, f := range chosen {
				keys[i] = f.Key
			}
			defer p.interrupts.hold()()
			if err := s.Remove(keys...); err != nil {
				return err
			}
			_, err = fmt.Fprintf(p.stdout, "%s removed\n", readable.Count(len(keys), "run"))
			return err
		},
	}
	filter.add(c)
	c.Flags().BoolVar(&all, "all", false, "remove every run")
	return c
}
