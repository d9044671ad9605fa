package cli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"weft/internal/nearest"
	"weft/study"
)

// runFilter chooses runs.
type runFilter struct {
	status []string
	where  []string
	stale  bool
}

func (f *runFilter) add(c *cobra.Command) {
	c.Flags().StringSliceVar(&f.status, "status", nil, "only runs that are done, partial (stuck), failed or dead")
	c.Flags().StringArrayVar(&f.where, "where", nil, "only runs that match: an axis as in variant=ARCANE,OPS, seed=3, or a metric as in 'fct_p99_us>500' (repeatable)")
	c.Flags().BoolVar(&f.stale, "stale", false, "only runs that are not in the study's present plan")
}

func (f *runFilter) choose(all []foundRun) ([]foundRun, error) {
	for _, s := range f.status {
		switch study.Status(s) {
		case study.Done, study.Partial, study.Failed, study.Dead:
		default:
			return nil, fmt.Errorf("--status %s: use done, partial (stuck), failed or dead", s)
		}
	}
	var conditions []condition
	for _, w := range f.where {
		c, err := parseCondition(w)
		if err != nil {
			return nil, err
		}
		if len(all) > 0 && !slices.ContainsFunc(all, c.applies) {
			return nil, fmt.Errorf("--where %s: no run has an axis or metric %q; weft runs show and weft study table --list-metrics list them", w, c.name)
		}
		if err := c.known(all); err != nil {
			return nil, fmt.Errorf("--where %s: %w", w, err)
		}
		conditions = append(conditions, c)
	}
	return slices.DeleteFunc(slices.Clone(all), func(r foundRun) bool {
		if len(f.status) > 0 && !slices.Contains(f.status, string(r.Status)) || f.stale && !r.Stale {
			return true
		}
		return slices.ContainsFunc(conditions, func(c condition) bool { return !c.holds(r) })
	}), nil
}

// condition is one of --where.
type condition struct {
	name, operator string
	values         []string
	number         float64
}

func parseCondition(text string) (condition, error) {
	for _, op := range []string{"<=", ">=", "<", ">", "="} {
		name, value, ok := strings.Cut(text, op)
		if !ok {
			continue
		}
		c := condition{name: strings.TrimSpace(name), operator: op}
		if op == "=" {
			c.values = strings.Split(strings.TrimSpace(value), ",")
			return c, nil
		}
		var err error
		if c.number, err = strconv.ParseFloat(strings.TrimSpace(value), 64); err != nil {
			return c, fmt.Errorf("--where %s: %q is not a number", text, value)
		}
		return c, nil
	}
	return condition{}, fmt.Errorf("--where %s: write a condition as in variant=ARCANE or 'fct_p99_us>500'", text)
}

// applies tells whether a run has what the condition is about.
func (c condition) applies(r foundRun) bool {
	if c.operator == "=" {
		_, ok := r.Levels[c.name]
		return ok || c.name == "seed" || c.name == "name"
	}
	_, ok := r.Metrics[c.name]
	return ok
}

// known refuses a label that the axis of a condition has in no study; runs of those
// that exist may be missing still.
func (c condition) known(all []foundRun) error {
	if c.operator != "=" || c.name == "seed" || c.name == "name" {
		return nil
	}
	var labels []string
	seen := map[*study.Study]bool{}
	for _, r := range all {
		if r.study == nil || seen[r.study] {
			continue
		}
		seen[r.study] = true
		for _, a := range r.study.Plan.Axes {
			if a.Name == c.name {
				labels = append(labels, a.Levels...)
			}
		}
	}
	slices.Sort(labels)
	labels = slices.Compact(labels)
	for _, v := range c.values {
		if len(labels) > 0 && !slices.Contains(labels, v) {
			return fmt.Errorf("axis %q has no label %q; %s", c.name, v, nearest.Remedy(v, "there are", labels))
		}
	}
	return nil
}

func (c condition) holds(r foundRun) bool {
	v := r.Metrics[c.name]
	switch c.operator {
	case "<":
		return c.applies(r) && v < c.number
	case "<=":
		return c.applies(r) && v <= c.number
	case ">":
		return c.applies(r) && v > c.number
	case ">=":
		return c.applies(r) && v >= c.number
	}
	value := r.Levels[c.name]
	switch c.name {
	case "seed":
		value = strconv.FormatUint(r.Seed, 10)
	case "name":
		value = r.Name
	}
	return slices.Contains(c.values, value)
}
