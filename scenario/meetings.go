package scenario

import (
	"weft/fabric"
	"weft/fault"
	"weft/topo"
	"weft/unit"
)

// meetings holds how many frames reached directed links (fabric.Network.Met) by the times
// at which faults began and ended there.
type meetings map[meeting]uint64

type meeting struct {
	port topo.PortID
	at   unit.Time
}

// mostWatched is the most directed links of a fault that are watched. A fault with more
// links is assumed to meet traffic.
const mostWatched = 4096

// unknown marks a count that was not taken.
const unknown = ^uint64(0)

func newMeetings(t *fault.Timeline) meetings {
	m := meetings{}
	for i := range t.Struck {
		s := &t.Struck[i]
		if len(s.Ports) > mostWatched {
			continue
		}
		for _, p := range s.Ports {
			m[meeting{p, s.From}], m[meeting{p, s.To}] = unknown, unknown
		}
	}
	return m
}

// look counts the frames of a port before a change.
func (m meetings) look(n *fabric.Network, now unit.Time, port topo.PortID) {
	if v, ok := m[meeting{port, now}]; ok && v == unknown {
		m[meeting{port, now}] = n.Met(port, now)
	}
}
