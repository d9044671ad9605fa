package route

// Numbers tells which next-hop set of a switch belongs to each edge switch in each layer, for look-ups in place. Set 0 is
// empty.
type Numbers struct {
	*numbers
	row int
}

// At returns the number of the set in a layer towards an edge switch.
func (n Numbers) At(layer, edge int) uint16 { return n.get(n.at(layer, n.row, edge)) }

// numbers are those of all switches, in bytes or in words. What a batch of searches finds lies together: numbers of
// one layer and batch, switch by switch, with room for a whole batch. A look-up in large tables misses all caches in any order,
// but searches that fill them would be slow if each number were on a page of memory of its own.
type numbers struct {
	batches, rows int
	narrow        []uint8
	wide          []uint16
}

// at returns the place of the number of a switch. Those of the same batch towards greater edge switches follow.
func (n *numbers) at(layer, row, edge int) int {
	return ((layer*n.batches+edge/batch)*n.rows+row)*batch + edge%batch
}

func (n *numbers) get(at int) uint16 {
	if n.narrow != nil {
		return uint16(n.narrow[at])
	}
	return n.wide[at]
}
