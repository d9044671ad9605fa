package route

// Numbers gives direct access to the numbers of a switch's next-hop sets, by layer and edge
// switch. Set 0 is empty.
type Numbers struct {
	*numbers
	row int
}

// At returns the number of the set in a layer towards an edge switch.
func (n Numbers) At(layer, edge int) uint16 { return n.get(n.at(layer, n.row, edge)) }

// numbers holds the set numbers of all switches, in bytes or in words of two bytes. The
// numbers that one batch of searches writes are together: one layer and batch, switch by
// switch, with room for a whole batch. A look-up in large tables misses all caches in any
// order. But searches would be slow if they wrote each number to a different page of
// memory.
type numbers struct {
	batches, rows int
	narrow        []uint8
	wide          []uint16
}

// at returns the index of a switch's number. The numbers towards later edge switches of the
// same batch follow it.
func (n *numbers) at(layer, row, edge int) int {
	return ((layer*n.batches+edge/batch)*n.rows+row)*batch + edge%batch
}

func (n *numbers) get(at int) uint16 {
	if n.narrow != nil {
		return uint16(n.narrow[at])
	}
	return n.wide[at]
}
