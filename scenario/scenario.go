package scenario

import (
	"fmt"
	"strings"

	"weft/config"
	"weft/problem"
)

// Scenario is one scenario to run.
type Scenario struct {
	Spec
	// Variant is the scenario's name among the variants of its file. If the file compares
	// nothing, it is the scenario's name.
	Variant string
	// Path is the file that the scenario comes from.
	Path string

	places config.Places
	reg    *Registry
	// brought describes the defaults that parts of the scenario brought.
	brought []string
}

// Errorf returns an error about a path, at its place in the file. If the error wraps a
// problem that names a key, its place is the place of that key below the path. If the
// command line gives a key that is to blame, the error points there, since the file may be
// right.
func (s *Scenario) Errorf(path, format string, args ...any) error {
	return s.wrong(path, fmt.Errorf(format, args...))
}

// written returns the path under which the file sets a value. Groups of traffic share some
// values, such as the transport; then it is the shared path. If a group has its own, it is
// the group's path. Replies and background traffic share the transport of their group.
func (s *Scenario) written(path string) string {
	group, shared, ok := strings.Cut(path, "].")
	if !ok {
		return path
	}
	if i := strings.Index(shared, "."+transportKey+"."); i >= 0 {
		shared = shared[i+1:]
	}
	for _, other := range []string{shared, group + "]." + shared} {
		if s.At(other) == s.At(path) {
			return other
		}
	}
	return path
}

// At returns the place where the file sets a path, such as "traffic[0].size", or else the
// nearest enclosing place that the file has.
func (s *Scenario) At(path string) config.Place { return s.places.At(path) }

// placed moves errors that carry paths to their places in the file.
func (s *Scenario) placed(err error) error {
	errs := new(config.Error)
	all := each(err)
	for i, one := range all {
		if errs.Full() {
			errs.More += len(all) - i
			break
		}
		errs.Append(s.placedOne(one))
	}
	return errs.Err()
}

func (s *Scenario) placedOne(err error) error {
	path, err := problem.Subject(err)
	return s.wrong(s.written(path), err)
}

// blamed returns the place of the first of some keys that the command line gives. It looks
// for each key in the mappings around path, innermost first, as for keys of a transport.
func (s *Scenario) blamed(path string, keys []string) (config.Place, bool) {
	for _, key := range keys {
		for around := path; around != ""; {
			around = around[:max(strings.LastIndexByte(around, '.'), 0)]
			named := problem.Join(around, key)
			if !s.places.Given(named) {
				continue
			}
			// A choice that only repeats its kind stays at the place of its options.
			for _, given := range []string{named, named + "." + config.KindKey} {
				if at := s.At(given); at.Argument() {
					return at, true
				}
			}
			break
		}
	}
	return config.Place{}, false
}
