package cli

import (
	"fmt"
	"slices"
	"strings"

	"weft/record"
	"weft/scenario"
)

// results is the folder that a scenario's results go to: a run, or a comparison
// of several.
type results struct {
	out, scenario string
	comparison    *record.Comparison
	// folders are those to write, by variant.
	folders map[string]string
	// kept are the variants that stay as they are in the folder, and order is that of all.
	kept  []record.Summary
	order []string
	// pairs are what was simulated, and is on wire, too.
	pairs [][2]string
}

// newResults begins the folder; it fails if it cannot be written, or if what is not run
// would be lost.
func newResults(out string, f *scenario.File, chosen []*scenario.Scenario, tasks []task, wire bool) (*results, error) {
	r := &results{out: out, scenario: f.Name, folders: map[string]string{}}
	if !compares(f) && !wire {
		r.folders[f.Name] = out
		return r, badInput(record.CheckTarget(out))
	}
	var err error
	if r.comparison, err = record.NewComparison(out, f.Name); err != nil {
		return nil, badInput(err)
	}
	if err := r.prepare(f, chosen, tasks, wire); err != nil {
		r.discard()
		return nil, err
	}
	return r, nil
}

// compares tells whether a file has variants.
func compares(f *scenario.File) bool {
	all := f.VariantNames()
	return len(all) > 1 || all[0] != f.Name
}

// prepare finds the folders of what is run, and takes over what else is there.
func (r *results) prepare(f *scenario.File, chosen []*scenario.Scenario, tasks []task, wire bool) error {
	kept, err := keepable(r.out, f, chosen, wire)
	if err != nil {
		return err
	}
	for _, variant := range f.VariantNames() {
		for _, name := range namesOfRuns(variant, wire) {
			k, ok := kept[name]
			if !ok {
				continue
			}
			r.kept, r.order = append(r.kept, k), append(r.order, name)
			if err := r.comparison.Keep(name); err != nil {
				return err
			}
		}
		for i, t := range tasks {
			if t.scenario.Variant != variant {
				continue
			}
			r.folders[t.name] = absolute(r.comparison.Variant(t.name))
			r.order = append(r.order, t.name)
			if t.wire {
				r.pairs = append(r.pairs, [2]string{tasks[i-1].name, t.name})
			}
		}
	}
	return nil
}

// keepable returns what a folder holds beside the variants that are run, if only some of
// a file's are. It is an error if that is not of the same scenario: beside the new ones it
// would compare what cannot be compared, and without it it would be lost.
func keepable(out string, f *scenario.File, chosen []*scenario.Scenario, wire bool) (map[string]record.Summary, error) {
	if len(chosen) == len(f.VariantNames()) {
		return nil, nil
	}
	there, err := record.Variants(out)
	if err != nil {
		return nil, nil // there is nothing yet: what else it could be the folder was refused for
	}
	kept := map[string]record.Summary{}
	var others []string
	for _, v := range there {
		is := func(s *scenario.Scenario) bool { return slices.Contains(namesOfRuns(s.Variant, wire), v.Name) }
		if slices.ContainsFunc(chosen, is) {
			continue
		}
		m, summary, err := record.ReadManifest(v.Folder)
		if err != nil {
			return nil, badInput(fmt.Errorf("%w; or choose another folder with --out", err))
		}
		same := false
		if i := slices.IndexFunc(f.Variants, is); i >= 0 {
			hash, err := f.Variants[i].Hash()
			if err != nil {
				return nil, err
			}
			same = hash == m.Hashes.Scenario
		}
		if !same {
			others = append(others, v.Name)
		}
		summary.Name = v.Name
		kept[v.Name] = summary
	}
	if len(others) > 0 {
		return nil, badInput(fmt.Errorf("%s: holds results of another scenario, or of another state of %s (%s), and --variant would keep variants that it does not run: "+
			"choose another folder with --out, or run all variants to replace what is there", out, f.Path, strings.Join(others, ", ")))
	}
	return kept, nil
}

// withKept returns what was run and what was kept, in the order of the file.
func (r *results) withKept(done []record.Summary) []record.Summary {
	if len(r.kept) == 0 {
		return done
	}
	all := slices.Concat(done, r.kept)
	slices.SortStableFunc(all, func(a, b record.Summary) int {
		return slices.Index(r.order, a.Name) - slices.Index(r.order, b.Name)
	})
	return all
}

// keptText says which variants a folder kept.
func (r *results) keptText() string {
	if len(r.kept) == 0 {
		return ""
	}
	names := make([]string, len(r.kept))
	for i, s := range r.kept {
		names[i] = s.Name
	}
	return fmt.Sprintf(" (%s as before)", strings.Join(names, ", "))
}

func (r *results) commit() error {
	if r.comparison == nil {
		return nil // its process put it in its place
	}
	return r.comparison.Commit()
}

func (r *results) discard() {
	if r.comparison != nil {
		r.comparison.Discard()
	}
}

// known reads what the manifests of runs that are done say, by the order of the folder.
func (r *results) known(done []record.Summary) ([]built, error) {
	variants, err := record.Variants(r.out)
	if err != nil {
		return nil, err
	}
	var list []built
	for _, v := range variants {
		ran := slices.IndexFunc(done, func(s record.Summary) bool { return s.Name == v.Name })
		if ran < 0 {
			continue
		}
		m, summary, err := record.ReadManifest(v.Folder)
		if err != nil {
			return nil, err
		}
		// What qualifies numbers stands below the table of them.
		notices := slices.DeleteFunc(m.Notices, func(text string) bool {
			return slices.ContainsFunc(summary.Noted, func(n record.Notice) bool { return n.Text == text })
		})
		list = append(list, built{v.Name, notices, m.Derived, done[ran].Load})
	}
	return list, nil
}

// news lists what is known of the runs that ran now and was not told before them.
func news(known []built, ran []record.Summary, told []string) []string {
	known = slices.DeleteFunc(slices.Clone(known), func(b built) bool {
		return !slices.ContainsFunc(ran, func(s record.Summary) bool { return s.Name == b.name })
	})
	for i := range known {
		known[i].notices = slices.DeleteFunc(known[i].notices, func(n string) bool {
			return slices.ContainsFunc(told, func(t string) bool { return t == n || strings.HasSuffix(t, ": "+n) })
		})
	}
	return gathered(known, ofVariants(len(known)))
}
