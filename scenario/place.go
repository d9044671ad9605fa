package scenario

import (
	"fmt"
	"strconv"

	"weft/problem"
)

// at adds the key of the scenario to an error, as in "traffic[0].hosts".
func at(path string, err error) error { return problem.In(path, err) }

// each returns the errors that err joins, or err alone. For nil it returns none.
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

// entryPath returns the path of an entry of fabric.ports.
func entryPath(i int) string { return fmt.Sprintf("fabric.ports[%d]", i) }
