package scenario

import (
	"fmt"
	"slices"
	"strings"

	"weft/config"
	"weft/internal/nearest"
	"weft/problem"
)

// exclusion describes cells of the matrix to leave out: for each axis, the labels that
// match.
type exclusion []map[string]bool

// exclusions reads the exclusions of the file.
func (s *Scenario) exclusions(dims []Dimension) ([]exclusion, error) {
	errs := new(config.Error)
	var list []exclusion
	for _, item := range s.Exclude {
		x := make(exclusion, len(dims))
		if item.Kind != config.Mapping || len(item.Fields) == 0 {
			errs.Report(item.Place, problem.At(excludeKey, "%s: an item is a mapping of axes to labels, as in {balancer: ecmp, fault: slow}", excludeKey))
			continue
		}
		for _, f := range item.Fields {
			if len(dims) == 0 {
				errs.Report(f.Place, problem.At(excludeKey, "%s: there is no axis %q, nor any other", excludeKey, f.Key).Mend("axes are listed under %s:", matrixKey))
				continue
			}
			i := slices.IndexFunc(dims, func(d Dimension) bool { return d.Name == f.Key })
			if i < 0 {
				errs.Report(f.Place, problem.At(excludeKey, "%s: there is no axis %q", excludeKey, f.Key).Mend("%s", known(f.Key, names(dims))))
				continue
			}
			labels := []*config.Node{f.Value}
			if f.Value.Kind == config.Sequence {
				labels = f.Value.Items
			}
			x[i] = map[string]bool{}
			for _, l := range labels {
				if l.Kind != config.Scalar {
					errs.Report(l.Place, problem.At(excludeKey, "%s: axis %q takes a label or a list of labels, not %v", excludeKey, f.Key, l.Kind).Mend("%s", known("", dims[i].Levels)))
					continue
				}
				if !slices.Contains(dims[i].Levels, l.Text) {
					errs.Report(l.Place, problem.At(excludeKey, "%s: axis %q has no value %q", excludeKey, f.Key, l.Text).Mend("%s", known(l.Text, dims[i].Levels)))
				}
				x[i][l.Text] = true
			}
		}
		list = append(list, x)
	}
	return list, errs.Err()
}

// known lists the names that are allowed, with the nearest one first.
func known(name string, all []string) string {
	text := "there are "
	if near, ok := nearest.Name(name, all); ok {
		text = fmt.Sprintf("did you mean %q? There are ", near)
	}
	const shown = 12
	if len(all) > shown {
		return text + strings.Join(all[:shown], ", ") + " and others"
	}
	return text + strings.Join(all, ", ")
}

func names(dims []Dimension) []string {
	list := make([]string, len(dims))
	for i, d := range dims {
		list[i] = d.Name
	}
	return list
}

// holds reports whether an exclusion matches a cell.
func (x exclusion) holds(dims []Dimension, levels []int) bool {
	for i, labels := range x {
		if labels != nil && !labels[dims[i].Levels[levels[i]]] {
			return false
		}
	}
	return true
}
