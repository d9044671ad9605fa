package scenario

import (
	"fmt"
	"strconv"

	"weft/problem"
)

// at says where in the scenario an error comes from, as in "traffic[0].hosts".
func at(path string, err error) error { return problem.In(path, err) }

// each returns the errors that err joins, or err alone; none of nil.
func each(err error) (all []error) {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, one := range joined.Unwrap() {
			all = append(all, each(one)...)
		}
		return all
	}
	if err != nil {
		all = []error{err}
	}
	return all
}

func faultPath(i int) string { return "faults[" + strconv.Itoa(i) + "]" }

// entryPath is where the scenario has an entry of fabric.ports.
func entryPath(i int) string { return fmt.Sprintf("fabric.ports[%d]", i) }
