package collective

// team is places of a group that take part in a stage of a collective, and where among them the rank is.
type team struct {
	places []int // nil if all places take part
	size   int
	me     int
}

// everybody is the whole group.
func (w *writer) everybody() team { return team{size: len(w.group), me: w.me} }

// of returns the number of a member from any number, around the ring.
func (t team) of(i int) int { return ((i % t.size) + t.size) % t.size }

// place returns the place of a member, around the ring.
func (t team) place(i int) int {
	i = t.of(i)
	if t.places == nil {
		return i
	}
	return t.places[i]
}
