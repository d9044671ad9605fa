package fabric

import (
	"math"

	"weft/route"
)

// MaxLayers is the most layers that tables can have: the entropy of a frame selects
// its layer and has 16 bits.
const MaxLayers = math.MaxUint16

// layered is the state of a switch with several layers: the number of a next-hop set for each
// layer and edge switch. A frame takes the layer given by its entropy modulo the number of
// layers. So senders choose layers by choosing entropies (FatPaths, SC 2020, §V-A).
type layered struct {
	layers  uint32
	numbers route.Numbers
}

// set returns the number of the next-hop set for an edge switch in the layer of an entropy.
func (l *layered) set(edge int, entropy uint16) uint16 {
	return l.numbers.At(int(uint32(entropy)%l.layers), edge)
}
