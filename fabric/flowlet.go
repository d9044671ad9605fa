package fabric

import "weft/sim"

// flowletTable is a switch's table of flowlets for one spraying policy. It allocates its
// entries in blocks when a flow first needs one, since large tables are mostly empty.
type flowletTable struct {
	blocks []*flowletBlock
	mask   uint64 // number of entries, minus one
}

const flowletsPerBlock = 256

type flowletBlock [flowletsPerBlock]flowlet

// flowlet is the entry of a flow.
type flowlet struct {
	last sim.Time // when its last frame came
	set  uint32   // the next-hop set, plus 1; 0 if empty
	at   uint16   // the place in the set
}

// newFlowletTable returns an empty table; size is a power of two.
func newFlowletTable(size int) flowletTable {
	return flowletTable{
		blocks: make([]*flowletBlock, (size+flowletsPerBlock-1)/flowletsPerBlock),
		mask:   uint64(size - 1),
	}
}

// entry returns the entry of a flow with the given hash.
func (t *flowletTable) entry(hash uint64) *flowlet {
	k := hash & t.mask
	b := t.blocks[k/flowletsPerBlock]
	if b == nil {
		b = new(flowletBlock)
		t.blocks[k/flowletsPerBlock] = b
	}
	return &b[k%flowletsPerBlock]
}

// forget empties the table.
func (t *flowletTable) forget() { clear(t.blocks) }
