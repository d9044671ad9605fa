package study

import (
	"errors"
	"os"

	"weft/internal/inputs"
	"weft/topo"
)

// permit says which files of this machine the scenario of a task may name: the task's
// inputs, by path and content.
type permit struct {
	inputs map[string]string // hashes by path, as the task has them
	sums   map[string]string // of the files that were read
}

func newPermit(inputs []Input) permit {
	p := permit{inputs: map[string]string{}, sums: map[string]string{}}
	for _, in := range inputs {
		p.inputs[in.Path] = in.SHA256
	}
	return p
}

// errNotInput says the same of files that are there and of files that are not.
var errNotInput = errors.New("this file is not among the inputs of the task, and workers read no other file; run the study again")

// file permits a file that is an input, and then what it names in turn.
func (p permit) file(path string) error {
	if err := p.input(path); err != nil {
		return err
	}
	places, err := topo.Companions(path)
	if err != nil {
		return err
	}
	for _, place := range places {
		if _, known := p.inputs[place]; known {
			return p.input(place)
		}
		if _, err := os.Lstat(place); err == nil {
			break // it would be read
		}
	}
	if len(places) > 0 {
		return errors.New("the file that it names is not among the inputs of the task, and workers read no other file; name the topology file itself")
	}
	return nil
}

func (p permit) input(path string) error {
	want, known := p.inputs[path]
	if !known {
		return errNotInput
	}
	if p.sums[path] == want {
		return nil
	}
	// Why it cannot be read would tell a stranger of it.
	if hash, err := inputs.SHA256(path); err != nil || hash != want {
		return errNotInput
	}
	p.sums[path] = want
	return nil
}
