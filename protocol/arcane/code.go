package arcane

import "weft/protocol"

// What the preset code does otherwise. Its buffer has validity bits, since the
// walk of a frozen sender uses up entries anywhere in it: fresh.

// ackedCode takes notice of an acknowledgement.
func (s *Sender) ackedCode(a *protocol.Ack) {
	if s.frozen && a.Now > s.exit {
		s.thaw()
	}
	if a.Marked {
		return
	}
	if !s.fresh[s.head] {
		s.valid = min(s.valid+1, len(s.cells))
	}
	s.cells[s.head], s.fresh[s.head] = a.Entropy, true
	s.written = min(s.written+1, len(s.cells))
	s.head++
	if s.head == len(s.cells) {
		s.head = 0
	}
}

// nextCode returns an entropy of the buffer, if it may and has one.
func (s *Sender) nextCode() (ev uint16, ok bool) {
	switch {
	case s.frozen && s.written > 0:
		ev = s.cells[s.cursor]
		if s.fresh[s.cursor] {
			s.fresh[s.cursor] = false
			s.valid = max(s.valid-1, 0)
		}
		s.cursor = (s.cursor + 1) % s.written
		return ev, true
	case !s.frozen && s.valid > 0:
		i := s.head - s.valid
		if i < 0 {
			i += len(s.cells)
		}
		s.fresh[i] = false
		s.valid--
		return s.cells[i], true
	}
	return 0, false
}

// reset empties the buffer.
func (s *Sender) reset() {
	clear(s.cells)
	clear(s.fresh)
	s.head, s.valid, s.written, s.cursor = 0, 0, 0, 0
}
