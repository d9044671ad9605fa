package hosttest

import (
	"fmt"

	"weft/protocol"
	"weft/unit"
)

// origin is a data packet, of which its entropy is the number.
type origin struct {
	from, at int32 // at is the host that it arrived at
	group    uint8
	marked   bool
	owed     int // echoes that are to come back
}

// CheckEchoes gives every data packet an entropy of its own, for as long as there are any, and a
// mark if marks says so. It demands that the entropy of each one that arrives is returned once to
// the host that sent it, with its mark and in its group, if that is in the set, and never if it
// is not. It comes after Fate, Arrived and Done are set, which it keeps.
func (l *LAN) CheckEchoes(groups protocol.GroupSet, marks func() bool) {
	const untold = 1<<16 - 1
	var origins []origin
	returned := func(p *protocol.Packet) *origin {
		if p.Flags&protocol.Echoes == 0 || p.Echo == untold {
			return nil
		}
		return &origins[p.Echo]
	}
	fate, arrived, done := l.Fate, l.Arrived, l.Done
	l.Fate = func(from int32, p *protocol.Packet) []unit.Time {
		if o := returned(p); o != nil {
			o.owed--
			if o.owed < 0 || o.at != from || o.group != p.Group || o.marked != (p.Flags&protocol.EchoMarked != 0) {
				l.T.Fatalf("at %v: host %d returns %+v, of which came %+v", l.Now, from, *p, *o)
			}
		}
		if p.Payload > 0 {
			p.Entropy = untold
			if n := len(origins); n < untold {
				p.Entropy = uint16(n)
				o := origin{from: from, group: p.Group, marked: marks()}
				if o.marked {
					p.Flags |= protocol.Marked
				}
				origins = append(origins, o)
			}
		}
		if fate == nil {
			return []unit.Time{0}
		}
		return fate(from, p)
	}
	l.Arrived = func(to int32, p *protocol.Packet) {
		if o := returned(p); o != nil && o.from != to {
			l.T.Fatalf("at %v: host %d is returned %+v, and it is of %+v", l.Now, to, *p, *o)
		}
		if p.Payload > 0 && p.Entropy != untold && groups.Has(p.Group) {
			o := &origins[p.Entropy]
			o.at = to
			o.owed++
		}
		if arrived != nil {
			arrived(to, p)
		}
	}
	l.Done = func() error {
		for entropy, o := range origins {
			if o.owed != 0 {
				return fmt.Errorf("%d copies of packet %d, %+v, never came back", o.owed, entropy, o)
			}
		}
		if done == nil {
			return nil
		}
		return done()
	}
}
