package study

import (
	"errors"
	"os"

	"weft/internal/inputs"
	"weft/topo"
)

// permit lists the files of this machine that the scenario of a task may name: the task's
// inputs, by path and content.
type permit struct {
	inputs map[string]string // hashes by path, as the task states them
	sums   map[string]string // hashes of the files read so far
}

func newPermit(inputs []Input) permit {
	p := permit{inputs: map[string]string{}, sums: map[string]string{}}
	for _, in := range inputs {
		p.inputs[in.Path] = in.SHA256
	}
	return p
}

// errNotInput is the same for files that exist and files that do not, so that it reveals
// nothing.
var errNotInput = errors.New("this file is not among the inputs of the task, and workers read no other file; run the study again")

// file permits a file if it is an input. If it refers to another file that would be read,
// that must be an input, too.
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
	// The reason why it cannot be read would reveal something to a stranger.
	if hash, err := inputs.SHA256(path); err != nil || hash != want {
		return errNotInput
	}
	p.sums[path] = want
	return nil
}
