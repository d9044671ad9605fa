package reliable

// Gap gives up the next packet that is missing by IRN's rule (Mittal et al., SIGCOMM 2018,
// §3.1): one that another was sent after and acknowledged before, by more than tolerance
// packets. Call it until ok is false.
//
// Each packet is given up at most once for this reason, and only its first copy is: if the
// second copy is lost too, a timeout finds it. So a sender in recovery needs not remember
// where recovery ends. IRN's recovery sequence number is there for the same purpose.
func (s *Sender) Gap(tolerance uint32) (seq uint32, p Packet, ok bool) {
	if s.highest == 0 {
		return 0, Packet{}, false
	}
	last := s.highest - 1
	return s.giveUpBefore(last - min(tolerance, last))
}

// Overtaken gives up the next packet that TCP takes for lost (RFC 6675, IsLost): one of which at least so many later packets
// are acknowledged. Call it until ok is false. As with Gap, only the first copy of a packet is given up for this
// reason; if the second copy is lost too, a timeout finds it.
func (s *Sender) Overtaken(duplicates uint32) (seq uint32, p Packet, ok bool) {
	s.checked = max(s.checked, s.oldest)
	if s.checked+duplicates >= s.highest {
		return 0, Packet{}, false
	}
	end := s.highest // before which enough are acknowledged
	for left := duplicates; left > 0; {
		if end--; end <= s.checked {
			return 0, Packet{}, false
		}
		if s.record(end).state == acked {
			left--
		}
	}
	return s.giveUpBefore(end)
}

// giveUpBefore gives up the next packet before end that is outstanding for the first time.
func (s *Sender) giveUpBefore(end uint32) (seq uint32, p Packet, ok bool) {
	for s.checked = max(s.checked, s.oldest); s.checked < end; {
		seq = s.checked
		s.checked++
		if s.record(seq).Tries > 1 {
			continue
		}
		if p, ok = s.Lose(seq); ok {
			return seq, p, true
		}
	}
	return 0, Packet{}, false
}

// Flying returns how many packets are outstanding.
func (s *Sender) Flying() uint32 { return s.left - s.Unsent() }
