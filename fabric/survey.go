package fabric

import (
	"math"

	"weft/sim"
	"weft/topo"
)

// Survey reads all ports of a network repeatedly, between calls of Run. Unlike Counters
// it changes no floating-point sum, so it leaves no trace. It touches as little memory
// as it can, because the ports of a large network are not in the cache.
type Survey struct {
	network *Network
	cuts    uint64   // link failures up to the last look
	drops   uint64   // drops up to the last look
	flushed []uint64 // bytes per port; nil if no link failed
	warmSum sim.Time
}

// Readings are the states of all ports at one time, by topo.PortID.
type Readings struct {
	// Sent counts the bytes of frames that were fully serialised.
	Sent []uint64
	// Queued is the queue in bytes, the frame in service included.
	Queued []uint32
	// Dropped counts the frames dropped, except credits dropped by a limiter. It is nil
	// if no port dropped any. Consecutive readings without new drops share the slice.
	Dropped []uint32
}

// Survey begins a survey of the network.
func (n *Network) Survey() *Survey { return &Survey{network: n} }

// Blank returns the readings of the network before its first event.
func (s *Survey) Blank() *Readings {
	ports := len(s.network.ports)
	return &Readings{Sent: make([]uint64, ports), Queued: make([]uint32, ports)}
}

// Look reads all ports into r. It reports whether anything has happened since last,
// the previous readings, or is queued.
func (s *Survey) Look(now sim.Time, last, r *Readings) (busy bool) {
	r.Dropped = last.Dropped
	if s.lost() {
		busy = true
		s.readLosses(r)
	}
	const block = 64 // ports to read in advance, so that their cache misses overlap
	for first := 0; first < len(r.Sent); first += block {
		ports := s.network.ports[first:min(first+block, len(r.Sent))]
		for _, at := range ports {
			p := &s.network.domains[at.domain].ports[at.index]
			s.warmSum += p.at(p.drained).departs
		}
		for i, at := range ports {
			d := s.network.domains[at.domain]
			p := &d.ports[at.index]
			if p.due(now) {
				d.drain(p, at.index, now)
			}
			id := first + i
			r.Queued[id] = p.queued
			r.Sent[id] = p.bytes - uint64(p.queued)
			if s.flushed != nil {
				r.Sent[id] -= s.flushed[id]
			}
			busy = busy || p.queued != 0 || r.Sent[id] != last.Sent[id]
		}
	}
	return busy
}

// lost reports whether a frame was lost since the last look.
func (s *Survey) lost() bool {
	cuts, drops := s.cuts, s.drops
	s.cuts, s.drops = s.network.cuts, 0
	for _, d := range s.network.domains {
		s.drops += d.tally.totals.Dropped
	}
	return s.cuts != cuts || s.drops != drops
}

// readLosses reads the drops of all ports.
func (s *Survey) readLosses(r *Readings) {
	r.Dropped = make([]uint32, len(r.Sent))
	if s.cuts > 0 && s.flushed == nil {
		s.flushed = make([]uint64, len(r.Sent))
	}
	for i := range r.Dropped {
		_, _, _, cold := s.network.at(topo.PortID(i))
		sum := uint64(0)
		if cold.stats == nil {
			continue
		}
		for why, n := range cold.stats.Drops {
			if !Reason(why).limits() {
				sum += n
			}
		}
		r.Dropped[i] = uint32(min(sum, math.MaxUint32))
		if s.flushed != nil {
			s.flushed[i] = cold.stats.FlushedBytes
		}
	}
}
