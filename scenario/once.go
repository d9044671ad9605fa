package scenario

import (
	"fmt"
	"strconv"

	"weft/problem"
)

// oncePerFile returns the errors of groups of traffic with their places. Where several groups read the same file,
// what is wrong in the file is told for the first of them, with the names of the others.
func oncePerFile(list []Traffic, wrong []error) []error {
	type mistake struct{ file, text string }
	others := map[mistake][]string{}
	of := func(err error) (mistake, bool) {
		what := problem.Of(err)
		return mistake{what.File, what.Text}, what.File != ""
	}
	for i, err := range wrong {
		if err == nil {
			continue
		}
		if m, ok := of(err); ok {
			others[m] = append(others[m], list[i].Name)
		}
	}
	var told []error
	for i, err := range wrong {
		if err == nil {
			continue
		}
		if m, ok := of(err); ok {
			names := others[m]
			if names[0] != list[i].Name {
				continue
			}
			if len(names) > 1 {
				path, what := problem.Subject(err)
				err = at(path, fmt.Errorf("%w (%s)", what, alsoRead(names[1:])))
			}
		}
		told = append(told, at("traffic["+strconv.Itoa(i)+"]", err))
	}
	return told
}

func alsoRead(names []string) string {
	if len(names) == 1 {
		return names[0] + " reads this file, too"
	}
	return some(names) + " read this file, too"
}
