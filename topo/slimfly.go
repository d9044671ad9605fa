package topo

import (
	"fmt"
	"slices"
	"strconv"

	"weft/internal/galois"
	"weft/problem"
)

// SlimFly is a network based on the McKay-Miller-Širáň graph of diameter 2 (Besta and
// Hoefler, Slim Fly, SC 2014, §II). It consists of two subgraphs of q groups of q switches,
// where q is a prime power of the form 4w-1, 4w or 4w+1.
//
// Switch (0,a,b) is named "a‹a›r‹b›", and switch (1,m,c) "b‹m›r‹c›". The numbers a, b, m
// and c are elements of the field of q elements, numbered from 0. Groups a‹i› and b‹i› are
// in one rack, which is the Group of their nodes, and are adjacent in the order of nodes.
// Two switches of a group are linked if their difference is in the generator set of their
// subgraph. Switches (0,a,b) and (1,m,c) are linked if b = m·a + c in the field. Hosts
// host0, host1, … are in the order of the switches' nodes.
//
// Every switch has (3q-δ)/2 links to others for q = 4w+δ. By default it has half as many
// hosts, rounded up. FatPaths' Table IV rounds down (14 at q = 19), and so does the size
// 10k.
type SlimFly struct {
	Size           *string `yaml:"size" enum:"1k,10k,100k,1M" doc:"About how many hosts: takes the order 9, 19, 41 or 89 and 7, 14, 31 or 67 hosts per switch." source:"FatPaths §II-B, Table V; Table IV (10k)"`
	Order          *int    `yaml:"order" known:"q" doc:"Order q of the field, a prime power other than 2: there are 2q² switches." min:"3"`
	HostsPerSwitch *int    `yaml:"hosts_per_switch" known:"p" doc:"Hosts on each switch (default: half its links to others, rounded up)." min:"1" source:"FatPaths Table V"`
	Cables
}

// Build builds the graph.
func (o SlimFly) Build() (*Graph, error) {
	g, err := o.build()
	if err != nil {
		return nil, fmt.Errorf("slim-fly: %w", err)
	}
	return g, nil
}

// maxSlimFly is the largest order that maxFlatLinks allows.
const maxSlimFly = 353

func (o SlimFly) build() (*Graph, error) {
	c, err := o.cabling()
	if err != nil {
		return nil, err
	}
	if o.Size != nil {
		classes := [4]struct{ order, hosts int }{{9, 7}, {19, 14}, {41, 31}, {89, 67}}
		class, err := bySize(*o.Size, classes)
		if err == nil {
			err = without(option{"order", o.Order})
		}
		if err != nil {
			return nil, err
		}
		o.Order = &class.order
		if o.HostsPerSwitch == nil {
			o.HostsPerSwitch = &class.hosts
		}
	}
	if o.Order == nil {
		return nil, fmt.Errorf("give order, a prime power, or size")
	}
	q := *o.Order
	if !slimFlyOrder(q) {
		return nil, problem.At("order", "order is %d, but must be a prime power from 3 to %d", q, maxSlimFly).Mend("use %s", nearby(q, 3, maxSlimFly, slimFlyOrder))
	}
	field, err := galois.New(q)
	if err != nil {
		return nil, err
	}
	x, y := generators(field)
	if err := closed(field, x, y); err != nil {
		return nil, err
	}
	degree := len(x) + q
	f := flat{
		switches: 2 * q * q, degree: degree, group: 2 * q,
		hostsPerSwitch: orElse(o.HostsPerSwitch, divideUp(degree, 2)),
		name: func(text []byte, i int) []byte {
			text = strconv.AppendInt(append(text, "ab"[i/q%2]), int64(i/(2*q)), 10)
			return strconv.AppendInt(append(text, 'r'), int64(i%q), 10)
		},
	}
	b, err := f.start(c)
	if err != nil {
		return nil, err
	}
	first := NodeID(len(b.graph.Hosts))
	at := func(subgraph, group, i int) NodeID { return first + NodeID((2*group+subgraph)*q+i) }
	for group := range q {
		for subgraph, set := range [][]int{x, y} {
			for i := range q {
				for _, d := range set {
					if j := field.Add(i, d); i < j {
						b.link(at(subgraph, group, i), at(subgraph, group, j), c.uplink, c.delay)
					}
				}
			}
		}
	}
	for a := range q {
		for m := range q {
			ma := field.Mul(m, a)
			for k := range q {
				b.link(at(0, a, field.Add(ma, k)), at(1, m, k), c.uplink, c.delay)
			}
		}
	}
	// Three operations are symmetries of the graph: adding a constant to b and c; adding a
	// multiple of a to b, and that factor to m; and adding one to a, and -m times it to c.
	// So all switches of a subgraph are equivalent.
	return b.graph, f.check(b.graph, 2, 0, q)
}

// slimFlyOrder reports whether a Slim Fly of order q exists.
func slimFlyOrder(q int) bool {
	_, _, ok := galois.PrimePower(q)
	return ok && q >= 3 && q <= maxSlimFly
}

// generators returns the generator sets of the two subgraphs (Slim Fly §II-B), by exponents
// of the primitive element. For q = 4w+1 and q = 4w, these are the even and the odd
// exponents. For q = 4w-1, the first set has the even ones below 2w and the odd ones from
// 2w-1 on; the second set is the first times the primitive element.
func generators(f *galois.Field) (x, y []int) {
	q := f.Order()
	if q%4 != 3 {
		for n := 0; n < q-1; n += 2 {
			x = append(x, f.Exp(n))
			y = append(y, f.Exp(n+1))
		}
		return x, y
	}
	w := (q + 1) / 4
	for n := range w {
		x = append(x, f.Exp(2*n), f.Exp(2*w-1+2*n))
	}
	for _, e := range x {
		y = append(y, f.Mul(e, f.Exp(1)))
	}
	return x, y
}

// closed checks that sets contain the negative of each element and no zero. Otherwise links
// would have a direction.
func closed(f *galois.Field, sets ...[]int) error {
	for _, set := range sets {
		for _, e := range set {
			if e == 0 || !slices.Contains(set, f.Neg(e)) {
				return fmt.Errorf("the generator set %v of GF(%d) has no negative of %d", set, f.Order(), e)
			}
		}
	}
	return nil
}
