package study

import (
	"errors"
	"fmt"
	"io/fs"
)

// Another refuses a folder that holds another study than the plan's, one of another name
// and other runs: Create would give the folder the plan, and leave the runs of the study
// to nobody. Edited files keep their name, and a name alone changes no run.
func Another(dir string, p *Plan) error {
	before, err := readPlan(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist): // whether it may begin there is for Create
		return nil
	case err != nil:
		return err
	case before.Name == p.Name || before.Hash() == p.Hash():
		return nil
	}
	return fmt.Errorf("%s: holds study %s, of %s, and %s is study %s: choose another folder with --out, "+
		"or, if they are meant to be the same study, call this one name: %s", dir, before.Name, before.Source, p.Source, p.Name, before.Name)
}
