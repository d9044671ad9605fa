package fabric

import (
	"math"

	"weft/route"
)

// MaxLayers is the most layers that tables can have: the entropy of a frame, which is the tag
// of its layer, tells no more apart.
const MaxLayers = math.MaxUint16

// layered is what a switch knows of several layers: the number of a set for each layer and
// edge switch. A frame takes the layer of its entropy, modulo their
// number: senders choose entropies, and so choose layers (FatPaths, SC 2020, §V-A).
type layered struct {
	layers  uint32
	numbers route.Numbers
}

// set returns the number of the set for an edge switch in the layer of an entropy.
func (l *layered) set(edge int, entropy uint16) uint16 {
	return l.numbers.At(int(uint32(entropy)%l.layers), edge)
}
