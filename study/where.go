package study

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"weft/internal/nearest"
)

// Part selects runs of a study: the runs that Where selects and that belong to a shard. The
// zero Part selects all runs.
type Part struct {
	Shard Shard
	Where Where
}

// In lists the runs of a part, in the order of Runs.
func (p *Plan) In(part Part) []Run {
	var list []Run
	for i, r := range p.Runs() {
		if part.Shard.holds(i) && part.Where.holds(p, r) {
			list = append(list, r)
		}
	}
	return list
}

// Where selects runs by levels of axes and by seeds. The zero Where selects all runs.
type Where struct{ conditions []func(p *Plan, r Run) bool }

func (w Where) holds(p *Plan, r Run) bool {
	return !slices.ContainsFunc(w.conditions, func(holds func(*Plan, Run) bool) bool { return !holds(p, r) })
}

// seedAxis is the name of seeds in conditions.
const seedAxis = "seed"

// Where parses conditions, each an axis with some of its labels, as in variant=ARCANE,OPS
// or seed=3. Runs must meet all conditions. It fails if no run of the plan does.
func (p *Plan) Where(conditions []string) (Where, error) {
	var w Where
	for _, text := range conditions {
		holds, err := p.condition(text)
		if err != nil {
			return Where{}, fmt.Errorf("--where %s: %w", text, err)
		}
		w.conditions = append(w.conditions, holds)
	}
	if len(conditions) > 0 && len(p.In(Part{Where: w})) == 0 {
		return Where{}, fmt.Errorf("--where: no run of study %s meets all of %s", p.Name, strings.Join(conditions, ", "))
	}
	return w, nil
}

func (p *Plan) condition(text string) (holds func(*Plan, Run) bool, err error) {
	name, values, ok := strings.Cut(text, "=")
	if name = strings.TrimSpace(name); !ok || name == "" || strings.ContainsAny(name, "<>") {
		return nil, errors.New("write an axis and its labels, as in variant=ARCANE,OPS, or seed=3")
	}
	names := []string{seedAxis}
	for axis, a := range p.Axes {
		if names = append(names, a.Name); a.Name != name {
			continue
		}
		levels, err := a.levelsOf(values)
		return func(p *Plan, r Run) bool { return slices.Contains(levels, p.Cells[r.Cell].Levels[axis]) }, err
	}
	if name != seedAxis {
		return nil, fmt.Errorf("study %s has no axis %q; %s", p.Name, name, nearest.Remedy(name, "there are", names))
	}
	var seeds []uint64
	for _, value := range strings.Split(values, ",") {
		seed, err := strconv.ParseUint(strings.TrimSpace(value), 10, 64)
		if err != nil || !slices.Contains(p.Seeds, seed) {
			return nil, fmt.Errorf("study %s has no seed %q; it has %s", p.Name, value, strings.Trim(fmt.Sprint(p.Seeds), "[]"))
		}
		seeds = append(seeds, seed)
	}
	return func(_ *Plan, r Run) bool { return slices.Contains(seeds, r.Seed) }, nil
}

// levelsOf returns the levels for labels separated by commas. Labels may contain commas
// themselves.
func (a *Axis) levelsOf(labels string) ([]int, error) {
	if i := slices.Index(a.Levels, labels); i >= 0 {
		return []int{i}, nil
	}
	var list []int
	for _, label := range strings.Split(labels, ",") {
		i := slices.Index(a.Levels, strings.TrimSpace(label))
		if i < 0 {
			return nil, fmt.Errorf("axis %q has no label %q; %s", a.Name, label, nearest.Remedy(label, "there are", a.Levels))
		}
		list = append(list, i)
	}
	return list, nil
}
