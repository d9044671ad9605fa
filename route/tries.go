package route

import (
	"math"
	"math/bits"

	"weft/sim"
	"weft/topo"
)

// This file draws one of several next hops, all with the same probability. A switch with
// few ports to others ranks all candidates by hash, and takes the first. A switch with many
// ports first tries a few random ports of the layer, and takes the first one that is a
// candidate. Most candidates are for distant destinations, where there are so many of them
// that ranking all would take most of the time. Either way, the loss of a link changes only
// the draws that had chosen it.
//
// Departure: FatPaths (SC 2020, §V-B) tries to take another next hop in each layer if there
// are several. Here the draws of layers are independent: with three next hops and four
// layers with all links (ρ = 1), all three are used in 36/81 = 44 % of cases.
const (
	// manyPorts is the number of ports to others above which a switch tries random ports.
	// Whether it does depends only on the topology.
	manyPorts = 32
	// mostRounds is the most rounds of four tries.
	mostRounds = 3
	// mostDigits is the most ports for which a fraction of 32 bits gives two random ports,
	// each with the right probability within 2⁻¹².
	mostDigits = 1 << 10
)

// draw chooses one of the next hops found for a switch.
func (w *drawer[N]) draw(a *arrival, m *mesh, key uint64) {
	begin, end := m.offset[a.row], m.offset[a.row+1]
	places := m.place[begin:end]
	row := w.row(a.row, a.first)
	if alone := a.reached &^ a.several; alone != 0 {
		w.lead(a, alone, places, row)
	}
	if a.several == 0 {
		return
	}
	key += uint64(int(a.row)*len(w.tables.edges) + a.first)
	left := a.several // searches without a next hop yet
	if w.whole.offset[a.row+1]-w.whole.offset[a.row] > manyPorts {
		tried := 0
		if len(a.words) <= narrowWords {
			left = tryOnce((*[narrowWords]uint64)(a.words[:narrowWords]), uint64(len(a.words)), left, key, (*[narrowWords]uint16)(m.place[begin:begin+narrowWords]), (*[laneBits]N)(row))
			tried = 1
		}
		left = tryRounds(a.words, tried, left, key, places, row)
	}
	if left == 0 {
		return
	}
	for keys := left; keys != 0; keys &= keys - 1 {
		bit := bits.TrailingZeros64(keys) & 63
		w.ranking.key[bit] = sim.Mix(key + uint64(bit))
	}
	w.ranking.rank(a, a.hits(w.room, left), left, m.port[begin:end])
	for ; left != 0; left &= left - 1 {
		bit := bits.TrailingZeros64(left)
		row[bit] = N(places[w.ranking.first[bit]] + 1)
	}
}

// lead sets the next hop of searches that have only one entry. In a network with many
// ports, most entries lead on at most one search, so the first one is handled without a
// branch.
func (w *drawer[N]) lead(a *arrival, alone uint64, places []uint16, row []N) {
	more := 0
	for _, i := range a.hits(w.room, alone) {
		led := a.words[i] & alone
		row[bits.TrailingZeros64(led)] = N(places[i] + 1)
		led &= led - 1
		w.room[more], w.others[more] = i, led
		more += int((led | -led) >> 63)
	}
	for k, i := range w.room[:more] {
		number := N(places[i] + 1)
		for led := w.others[k]; led != 0; led &= led - 1 {
			row[bits.TrailingZeros64(led)] = number
		}
	}
}

// tryOnce is the first round of tryRounds, for a switch whose entries fit in a byte. It has
// no branch, since it is unpredictable which entry leads on. A search that no tried entry
// leads on also gets one of them, but is among the returned ones.
func tryOnce[N uint8 | uint16](words *[narrowWords]uint64, n, several, key uint64, places *[narrowWords]uint16, row *[laneBits]N) (left uint64) {
	for ; several != 0; several &= several - 1 {
		bit := bits.TrailingZeros64(several) & (laneBits - 1)
		fraction := sim.Mix(key + uint64(bit))
		a, b := fraction>>32*n, uint64(uint32(fraction))*n
		c, d := uint8(uint64(uint32(a))*n>>32), uint8(uint64(uint32(b))*n>>32)
		one := several & -several
		place := uint64(places[d])
		word := words[d]
		lead, other := words[c]&one, uint64(places[c])
		if lead != 0 {
			place = other
		}
		word |= lead
		d = uint8(b >> 32)
		lead, other = words[d]&one, uint64(places[d])
		if lead != 0 {
			place = other
		}
		word |= lead
		d = uint8(a >> 32)
		lead, other = words[d]&one, uint64(places[d])
		if lead != 0 {
			place = other
		}
		word |= lead
		left |= one &^ word
		row[bit] = N(place + 1)
	}
	return left
}

// tryRounds tries four random entries per round, up to mostRounds rounds in total; over is
// the number of earlier rounds. It returns the searches that no tried entry leads on. The
// random entries are the digits of a random fraction in the base of the number of entries.
func tryRounds[N uint8 | uint16](words []uint64, over int, several, key uint64, places []uint16, row []N) (left uint64) {
	left = several
	n := uint64(len(words))
	for ; several != 0; several &= several - 1 {
		bit := uint(bits.TrailingZeros64(several)) & 63
		fraction := sim.Mix(key + uint64(bit))
		for range over {
			fraction = sim.Mix(fraction)
		}
		for range mostRounds - over {
			x, y := fraction>>32*n, fraction&math.MaxUint32*n
			x2, y2 := x&math.MaxUint32*n, y&math.MaxUint32*n
			lead := words[x>>32]>>bit&1 | words[y>>32]>>bit&1<<1 | words[x2>>32]>>bit&1<<2 | words[y2>>32]>>bit&1<<3
			if n > mostDigits {
				lead &= 3
			}
			if lead != 0 {
				tried := [4]uint32{uint32(x >> 32), uint32(y >> 32), uint32(x2 >> 32), uint32(y2 >> 32)}
				row[bit] = N(places[tried[bits.TrailingZeros64(lead)&3]] + 1)
				left &^= 1 << bit
				break
			}
			fraction = sim.Mix(fraction)
		}
	}
	return left
}

// ranking finds the entry with the first rank by hash, for some searches of a lane.
type ranking struct {
	key, least [laneBits]uint64
	first      [laneBits]int32
}

// rank ranks the entries that lead on the given searches. hits lists these entries.
func (r *ranking) rank(a *arrival, hits []int32, of uint64, ports []topo.PortID) {
	for left := of; left != 0; left &= left - 1 {
		r.least[bits.TrailingZeros64(left)] = math.MaxUint64
	}
	for _, i := range hits {
		for w := a.words[i] & of; w != 0; w &= w - 1 {
			bit := bits.TrailingZeros64(w) & 63
			if rank := sim.Mix(r.key[bit] + uint64(ports[i])); rank <= r.least[bit] {
				r.first[bit], r.least[bit] = i, rank
			}
		}
	}
}
