package topo

import (
	"errors"
	"fmt"
	"strconv"

	"weft/problem"
)

// HyperX is the Hamming graph (Ahn et al., HyperX, SC 2009). A switch is a number with
// several digits, and two switches are linked if they differ in exactly one digit. A switch
// is named by its digits, as in "r0-4-2". Switches that differ only in the last digit form
// a group. Hosts host0, host1, … are in the order of the switches.
//
// By default, the number of hosts per switch is its links divided by the number of
// dimensions, rounded up (FatPaths, Table V: p = k'/D).
type HyperX struct {
	Size           *string `yaml:"size" enum:"1k,10k,100k,1M" doc:"About how many hosts: takes the widths 6, 11, 18 or 32 in three dimensions, and 10, 22, 47 or 100 in two." source:"FatPaths §II-B, Table V; Table IV (10k)"`
	Dimensions     *int    `yaml:"dimensions" known:"L" doc:"Number of dimensions (default: the number of widths; 3 for one width or a size)." min:"1" max:"8"`
	Widths         []int   `yaml:"widths" default:"[]" known:"S" doc:"Switches in each dimension; a single width applies to all dimensions."`
	Multiplicity   []int   `yaml:"multiplicity" default:"[1]" doc:"Parallel links between two switches per dimension; a single number applies to all."`
	HostsPerSwitch *int    `yaml:"hosts_per_switch" known:"p,T" doc:"Hosts on each switch (default: its links to others divided by the number of dimensions, rounded up)." min:"1" source:"FatPaths Table V"`
	Cables
}

// Build builds the graph. An empty multiplicity means one link.
func (o HyperX) Build() (*Graph, error) {
	g, err := o.build()
	if err != nil {
		return nil, fmt.Errorf("hyperx: %w", err)
	}
	return g, nil
}

// maxDimensions is far beyond what anybody would build.
const maxDimensions = 8

func (o HyperX) build() (*Graph, error) {
	c, err := o.cabling()
	if err != nil {
		return nil, err
	}
	widths, multiplicity, err := o.shape()
	if err != nil {
		return nil, err
	}
	switches, degree := 1, 0
	for d, w := range widths {
		if w < 2 {
			return nil, problem.At("widths", "a width is %d; a dimension has at least 2 switches", w)
		}
		if err := positive(count{"widths", w}, count{"multiplicity", multiplicity[d]}); err != nil {
			return nil, err
		}
		if switches *= w; switches > maxNodes {
			return nil, problem.At("widths", "widths %v make too many switches; at most %d nodes are possible", widths, maxNodes)
		}
		degree += (w - 1) * multiplicity[d]
	}
	dimensions := len(widths)
	f := flat{
		switches: switches, degree: degree, group: widths[dimensions-1],
		hostsPerSwitch: orElse(o.HostsPerSwitch, divideUp(degree, dimensions)),
		name:           digits(widths),
	}
	b, err := f.start(c)
	if err != nil {
		return nil, err
	}
	first := NodeID(len(b.graph.Hosts))
	for s := range switches {
		stride := switches
		for d, w := range widths {
			stride /= w
			for more := 1; more < w-s/stride%w; more++ {
				for range multiplicity[d] {
					b.link(first+NodeID(s), first+NodeID(s+more*stride), c.uplink, c.delay)
				}
			}
		}
	}
	// Adding a constant to a digit is a symmetry of the graph.
	return b.graph, f.check(b.graph, dimensions)
}

// shape returns the width and the multiplicity of each dimension.
func (o HyperX) shape() (widths, multiplicity []int, err error) {
	if o.Size != nil {
		if len(o.Widths) > 0 {
			return nil, nil, problem.At("size", "size sets widths already").Mend("leave one of the two out")
		}
		classes := [4]int{6, 11, 18, 32}
		switch orElse(o.Dimensions, 3) {
		case 2:
			classes = [4]int{10, 22, 47, 100}
		case 3:
		default:
			return nil, nil, problem.At("size", "size takes 2 or 3 dimensions, not %d", *o.Dimensions).Mend("give widths")
		}
		w, err := bySize(*o.Size, classes)
		if err != nil {
			return nil, nil, err
		}
		o.Widths = []int{w}
	}
	dimensions := len(o.Widths)
	switch {
	case o.Dimensions != nil:
		dimensions = *o.Dimensions
	case dimensions == 1:
		dimensions = 3
	}
	switch {
	case len(o.Widths) == 0:
		return nil, nil, errors.New("give widths or size")
	case dimensions < 1 || dimensions > maxDimensions:
		return nil, nil, problem.New("there are %d dimensions", dimensions).Mend("use 1 to %d", maxDimensions)
	}
	if len(o.Multiplicity) == 0 {
		o.Multiplicity = []int{1}
	}
	if widths, err = each("widths", o.Widths, dimensions); err != nil {
		return nil, nil, err
	}
	multiplicity, err = each("multiplicity", o.Multiplicity, dimensions)
	return widths, multiplicity, err
}

// each returns one value per dimension, from as many values or a single one.
func each(name string, values []int, dimensions int) ([]int, error) {
	switch len(values) {
	case dimensions:
		return values, nil
	case 1:
		all := make([]int, dimensions)
		for d := range all {
			all[d] = values[0]
		}
		return all, nil
	}
	return nil, problem.New("%s has %d values for %d dimensions", name, len(values), dimensions).Mend("give one, or one for each dimension")
}

// digits names switches by their digits, as in r0-4-2.
func digits(widths []int) func([]byte, int) []byte {
	return func(text []byte, i int) []byte {
		stride := 1
		for _, w := range widths {
			stride *= w
		}
		before := byte('r')
		for _, w := range widths {
			stride /= w
			text = strconv.AppendInt(append(text, before), int64(i/stride%w), 10)
			before = '-'
		}
		return text
	}
}
