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
	// Variant is its name among those of its file; the scenario's name if the
	// file compares nothing.
	Variant string
	// Path is the file it came from.
	Path string

	places config.Places
	reg    *Registry
	// brought are notices of what parts of the scenario brought.
	brought []string
}

// Errorf returns an error about what a path names, at its place in the file. A problem in it that
// names a key is at the place of that key below the path. If the command line gives a key that is to
// blame, the place is there: the line of the file may well be right.
func (s *Scenario) Errorf(path, format string, args ...any) error {
	return s.wrong(path, fmt.Errorf(format, args...))
}

// written returns the path under which a file has what a group of traffic shares with all
// others, such as the transport, and that of the group if it has its own. Replies and
// backgrounds share the transport of their group.
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

// At returns where the file says what a path names, such as "traffic[0].size",
// or else the nearest thing around it that the file says.
func (s *Scenario) At(path string) config.Place { return s.places.At(path) }

// placed moves errors that say their paths to their places in the file.
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

// blamed returns the place of the first of some keys that the command line gives. Keys are looked for
// in what is around path, the nearest first, as those of a transport.
func (s *Scenario) blamed(path string, keys []string) (config.Place, bool) {
	for _, key := range keys {
		for around := path; around != ""; {
			around = around[:max(strings.LastIndexByte(around, '.'), 0)]
			named := problem.Join(around, key)
			if !s.places.Given(named) {
				continue
			}
			// A choice that only says its kind again stays where its options are.
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
