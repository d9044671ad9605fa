package scenario

import (
	"weft/config"
	"weft/problem"
)

// wrong turns an error into a problem at the place of the file that is to blame.
func (s *Scenario) wrong(path string, err error) error {
	what := problem.Of(err)
	key := problem.Join(path, what.Path)
	place := s.At(key)
	if given, ok := s.blamed(path, what.Because); ok && !place.Argument() {
		place = given
	}
	p := config.Problem{Place: place, Path: key, Text: path + ": " + plainly(what.Text, err), Remedy: what.Remedy}
	return p.Err()
}
