package route

import (
	"cmp"
	"math/bits"
	"slices"

	"weft/topo"
	"weft/unit"
)

const (
	// maxEntries is the most entries of a weighted set, unless it has more ports. Multipath
	// tables of switches are limited, too, and weights are reduced to fit (Zhou et al.,
	// WCMP, EuroSys 2014).
	maxEntries = 64
	// maxWeight keeps sums of weights from overflowing. Links faster than 2⁴⁸ bps get no
	// larger weight.
	maxWeight = 1 << 48
)

// weigher repeats the ports of a set in proportion to their rates.
type weigher struct {
	rate       func(topo.PortID) unit.Rate
	weights    []uint64
	remainders []remainder
	entries    []topo.PortID
}

type remainder struct {
	port int
	part uint64
}

func portRate(g *topo.Graph) func(topo.PortID) unit.Rate {
	return func(p topo.PortID) unit.Rate { return g.Links[p.Link()].Rate }
}

// weigh returns the set with every port repeated in proportion to its rate, in lowest
// terms. If that makes too many entries, they are assigned by largest remainder. The first
// port wins ties, and a port much slower than the others may get no entry. A port without a
// rate gets none, unless no port has a rate. The result is valid until the next call.
func (w *weigher) weigh(set []topo.PortID) []topo.PortID {
	w.weights = w.weights[:0]
	var divisor, total uint64
	for _, p := range set {
		weight := uint64(min(max(w.rate(p), 0), maxWeight))
		w.weights = append(w.weights, weight)
		divisor = gcd(divisor, weight)
	}
	if divisor == 0 {
		return set
	}
	for i := range w.weights {
		w.weights[i] /= divisor
		total += w.weights[i]
	}
	if most := uint64(max(maxEntries, len(set))); total > most {
		w.apportion(most, total)
	}
	w.entries = w.entries[:0]
	for i, p := range set {
		for range w.weights[i] {
			w.entries = append(w.entries, p)
		}
	}
	return w.entries
}

// apportion scales the weights, whose sum is total, to whole numbers whose sum is seats.
func (w *weigher) apportion(seats, total uint64) {
	w.remainders = w.remainders[:0]
	left := seats
	for i, weight := range w.weights {
		hi, lo := bits.Mul64(weight, seats)
		quotient, part := bits.Div64(hi, lo, total)
		w.weights[i] = quotient
		left -= quotient
		w.remainders = append(w.remainders, remainder{port: i, part: part})
	}
	slices.SortStableFunc(w.remainders, func(a, b remainder) int { return cmp.Compare(b.part, a.part) })
	for _, r := range w.remainders[:left] {
		w.weights[r.port]++
	}
}

func gcd(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
