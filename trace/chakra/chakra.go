// Package chakra reads and writes execution traces of MLCommons' Chakra, which ASTRA-sim reads, too.
//
// A trace is a folder with a file per rank, PREFIX.RANK.et. Each file is a graph of nodes: computations,
// movements of memory, messages, and collectives, which package trace/collective lowers to messages. There
// is a form in JSON as well, PREFIX.RANK.json, with the nodes in workload_graph.
//
// A rank has processors as in ASTRA-sim: one for computations of its accelerator, one for those of its host
// (is_cpu_op), one that posts messages, and one for movements of memory. Each does one thing after another.
// Collectives of a group follow each other, and those of different groups overlap, as in NCCL. ASTRA-sim does
// one collective or send of a rank at a time, in the order in which they become ready.
package chakra

import (
	"strings"

	"weft/problem"
	"weft/trace"
	"weft/trace/collective"
	"weft/unit"
)

// Processors of a rank.
const (
	accelerator uint16 = iota
	host
	network
	memory
	joints // computations of no time that join others
)

// Options say what a trace does not.
type Options struct {
	// Settings are how collectives are lowered.
	collective.Settings
	// Groups is a file of process groups: an object with a list of ranks per name. Without it, such a file in
	// the folder of the trace is taken, if there is one.
	Groups string
	// Dims is how many ranks there are in each dimension, the first one varying fastest. Collectives over some
	// dimensions (involved_dim) need it.
	Dims []int
	// Operations is how many operations per second the accelerator does, and Memory how fast its memory
	// is. They are the roofline by which computations without a duration take their time.
	Operations float64
	Memory     unit.Rate
}

// Names of options in errors, as scenarios have them.
const (
	optionPrefix     = "chakra."
	groupsOption     = optionPrefix + "groups"
	dimsOption       = optionPrefix + "dims"
	operationsOption = optionPrefix + "operations"
	memoryOption     = optionPrefix + "memory"
)

// optional is an error about options. Its path, and what it is due to, name them, so that callers can say what
// theirs are called.
func optional(what, remedy, option string, more ...string) error {
	return problem.At(option, "%s", what).Mend("%s", remedy).Due(more...)
}

// Missing names the options that an error is about in the words of a caller: with the noun flag and the prefix --,
// "the flags are --operations and --memory". It is empty if the error is about no option.
func Missing(err error, noun, prefix string) string {
	what := problem.Of(err)
	if !strings.HasPrefix(what.Path, optionPrefix) {
		return ""
	}
	is := "the " + noun + " is "
	if len(what.Because) > 0 {
		is = "the " + noun + "s are "
	}
	return is + strings.ReplaceAll(strings.Join(append([]string{what.Path}, what.Because...), " and "), optionPrefix, prefix)
}

// Read reads the trace of a folder, or of the files with a prefix, or the one that a file of it belongs to.
func Read(path string, o Options) (*trace.Trace, error) {
	files, err := find(path)
	if err != nil {
		return nil, err
	}
	t := &reading{Options: o, files: files, interned: names{}}
	if err := t.readAll(); err != nil {
		return nil, err
	}
	if err := t.arrange(); err != nil {
		return nil, err
	}
	return t.lower()
}

// reading is a trace that is being read.
type reading struct {
	Options
	files    files
	ranks    []*rank
	groups   groups
	calls    []call
	interned names
	notes    notes
	largest  int64 // tag of a message between two ranks
}

// rank is the nodes of a rank.
type rank struct {
	number int32
	file   string
	nodes  []node
	deps   []uint64 // ids of nodes, and once they are in order, their places
	order  []int32
	// control says whether control dependencies count.
	control bool
	groups  map[string]*group // by what nodes call them
}
