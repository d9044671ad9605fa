package fabric

import (
	"testing"

	"weft/protocol"
)

// TestFlowletTable compares with a map of all entries, and checks that only the blocks that
// flows need are allocated.
func TestFlowletTable(t *testing.T) {
	for _, size := range []uint64{1, 16, flowletsPerBlock, protocol.MaxFlowlets} {
		table := newFlowletTable(int(size))
		entries, blocks := map[uint64]*flowlet{}, map[uint64]bool{}
		for i := range uint64(1000) {
			hash := i * i * 0x9e3779b97f4a7c15 >> (i % 40)
			k := hash % size
			e := table.entry(hash)
			if at, ok := entries[k]; ok && at != e || !ok && *e != (flowlet{}) {
				t.Fatalf("%d entries: the flow with hash %#x has entry %p, which holds %v; want %p", size, hash, e, *e, at)
			}
			e.set = uint32(k) + 1
			entries[k], blocks[k/flowletsPerBlock] = e, true
		}
		for k, e := range entries {
			if e.set != uint32(k)+1 {
				t.Errorf("%d entries: flow %d lost its entry to another", size, k)
			}
		}
		allocated := 0
		for _, b := range table.blocks {
			if b != nil {
				allocated++
			}
		}
		if allocated != len(blocks) {
			t.Errorf("%d entries: %d blocks are allocated; flows need %d", size, allocated, len(blocks))
		}
		table.forget()
		if e := table.entry(0); *e != (flowlet{}) {
			t.Errorf("%d entries: an entry holds %v after the table was emptied", size, *e)
		}
	}
}
