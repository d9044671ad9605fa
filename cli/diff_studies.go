package cli

import (
	"fmt"

	"weft/internal/readable"
	"weft/study"
)

// diffStudies compares the runs of two studies by cell and seed, shows what differs,
// and tells whether anything does.
func (p *program) diffStudies(a, b string) (bool, error) {
	left, order, err := resultsOf(a)
	if err != nil {
		return false, err
	}
	right, others, err := resultsOf(b)
	if err != nil {
		return false, err
	}
	const shown = 10
	differing := 0
	show := func(name, what string) {
		if differing++; differing <= shown {
			fmt.Fprintf(p.stdout, "%s: %s\n", name, what)
		}
	}
	same := 0
	for _, name := range order {
		x, y := left[name], right[name]
		switch {
		case y == nil:
			show(name, "not in "+b)
		case x.Status != y.Status:
			show(name, fmt.Sprintf("%s and %s", x.Status, y.Status))
		case x.Hash != y.Hash:
			show(name, "results differ; weft runs unpack and weft diff find the first difference")
		default:
			same++
		}
	}
	for _, name := range others {
		if left[name] == nil {
			show(name, "not in "+a)
		}
	}
	if differing > shown {
		fmt.Fprintf(p.stdout, "and %d more\n", differing-shown)
	}
	_, err = fmt.Fprintf(p.stdout, "%s the same, %d differ\n", readable.Count(same, "run"), differing)
	return differing > 0, err
}

// resultsOf returns the runs of a study that have ended, by cell and seed, and their
// names in order.
func resultsOf(dir string) (map[string]*study.Entry, []string, error) {
	s, err := study.Open(dir)
	if err != nil {
		return nil, nil, err
	}
	found := map[string]*study.Entry{}
	var order []string
	for _, r := range s.Plan.Runs() {
		if e, ok := s.Entry(r); ok {
			name := fmt.Sprintf("%s, seed %d", s.Plan.Cells[r.Cell].Name, r.Seed)
			found[name] = &e
			order = append(order, name)
		}
	}
	return found, order, nil
}
