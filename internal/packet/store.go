package packet

// Store holds the packets of a simulated domain, or of the hosts at a socket, and their views. Its zero value is
// empty.
type Store struct {
	// Packets are those of all numbers, in use or not.
	Packets []Packet
	free    []ID
	Views
}

// Take returns a packet with undefined content. Pointers to packets do not survive it.
func (s *Store) Take() ID {
	if n := len(s.free); n > 0 {
		id := s.free[n-1]
		s.free = s.free[:n-1]
		return id
	}
	s.Packets = append(s.Packets, Packet{})
	return ID(len(s.Packets) - 1)
}

// Alloc returns a zeroed packet. Pointers to packets do not survive it.
func (s *Store) Alloc() ID {
	id := s.Take()
	s.Packets[id] = Packet{}
	return id
}

// At returns a packet. The pointer is good until the next Alloc.
func (s *Store) At(id ID) *Packet { return &s.Packets[id] }

// Keep puts a packet into the store that is not in it, which its number None tells.
func (s *Store) Keep(p *Packet, id ID) ID {
	if id == None {
		id = s.Take()
		s.Packets[id] = *p
	}
	return id
}

// Free ends a packet and its views.
func (s *Store) Free(id ID) {
	if p := &s.Packets[id]; p.Flags&Extended != 0 {
		s.drop(p.Aux)
	}
	s.free = append(s.free, id)
}

// Leave gives the number of a packet free that goes elsewhere by value, with its views.
func (s *Store) Leave(id ID) { s.free = append(s.free, id) }

// Strip takes all views from a packet, whose Aux stands in the header again.
func (s *Store) Strip(id ID) {
	p := &s.Packets[id]
	if p.Flags&Extended == 0 {
		return
	}
	i := p.Aux
	p.Aux = s.heads[i].aux
	p.Flags &^= Extended
	s.drop(i)
}

// Aux returns what the transport put there, whether the packet has views or not.
func (s *Store) Aux(p *Packet) uint32 {
	if p.Flags&Extended == 0 {
		return p.Aux
	}
	return s.heads[p.Aux].aux
}

// SetAux sets what Aux returns.
func (s *Store) SetAux(p *Packet, aux uint32) {
	if p.Flags&Extended == 0 {
		p.Aux = aux
	} else {
		s.heads[p.Aux].aux = aux
	}
}

// has tells whether a packet has a view.
func (s *Store) has(p *Packet, v kinds) bool {
	return p.Flags&Extended != 0 && s.heads[p.Aux].has&v != 0
}

// give notes that a packet has a view, and returns the number of its views.
func (s *Store) give(p *Packet, v kinds) uint32 {
	if p.Flags&Extended == 0 {
		p.Aux = s.begin(p.Aux)
		p.Flags |= Extended
	}
	s.heads[p.Aux].has |= v
	return p.Aux
}

// Export moves the views of an Extended packet that leaves the store by value to others.
func (s *Store) Export(p *Packet, to *Views) {
	i := p.Aux
	p.Aux = to.copy(&s.Views, i)
	s.drop(i)
}

// Import copies the views of an Extended packet that comes by value, which are among others, into the store.
func (s *Store) Import(p *Packet, from *Views) { p.Aux = s.copy(from, p.Aux) }
