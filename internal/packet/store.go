package packet

// Store holds the packets of a simulated domain, or of the hosts at a socket, and their views.
// The zero value is empty and ready for use.
type Store struct {
	// Packets holds all packets by ID, in use or not.
	Packets []Packet
	free    []ID
	Views
}

// Take allocates a packet with undefined content. It invalidates pointers to packets.
func (s *Store) Take() ID {
	if n := len(s.free); n > 0 {
		id := s.free[n-1]
		s.free = s.free[:n-1]
		return id
	}
	s.Packets = append(s.Packets, Packet{})
	return ID(len(s.Packets) - 1)
}

// Alloc allocates a zeroed packet. It invalidates pointers to packets.
func (s *Store) Alloc() ID {
	id := s.Take()
	s.Packets[id] = Packet{}
	return id
}

// At returns a packet. The pointer is valid until the next Alloc or Take.
func (s *Store) At(id ID) *Packet { return &s.Packets[id] }

// Keep copies a packet into the store if its ID is None, and returns its ID.
func (s *Store) Keep(p *Packet, id ID) ID {
	if id == None {
		id = s.Take()
		s.Packets[id] = *p
	}
	return id
}

// Free releases a packet and its views.
func (s *Store) Free(id ID) {
	if p := &s.Packets[id]; p.Flags&Extended != 0 {
		s.drop(p.Aux)
	}
	s.free = append(s.free, id)
}

// Leave releases the ID of a packet that moves elsewhere by value and takes its views along.
func (s *Store) Leave(id ID) { s.free = append(s.free, id) }

// Strip removes all views from a packet and puts Aux back into the header.
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

// Aux returns the transport's Aux, whether the packet has views or not.
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

// has reports whether a packet has a view.
func (s *Store) has(p *Packet, v kinds) bool {
	return p.Flags&Extended != 0 && s.heads[p.Aux].has&v != 0
}

// give notes that a packet has a view and returns the number of its views.
func (s *Store) give(p *Packet, v kinds) uint32 {
	if p.Flags&Extended == 0 {
		p.Aux = s.begin(p.Aux)
		p.Flags |= Extended
	}
	s.heads[p.Aux].has |= v
	return p.Aux
}

// Export moves the views of an Extended packet, which leaves the store by value, to another set
// of views.
func (s *Store) Export(p *Packet, to *Views) {
	i := p.Aux
	p.Aux = to.copy(&s.Views, i)
	s.drop(i)
}

// Import copies the views of an Extended packet, which arrived by value, from another set of
// views.
func (s *Store) Import(p *Packet, from *Views) { p.Aux = s.copy(from, p.Aux) }
