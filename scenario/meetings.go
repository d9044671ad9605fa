package scenario

import (
	"weft/fabric"
	"weft/fault"
	"weft/topo"
	"weft/unit"
)

// meetings are what directed links had to do with frames when faults struck them, and when these ended.
type meetings map[meeting]uint64

type meeting struct {
	port topo.PortID
	at   unit.Time
}

// mostWatched is from how many directed links on some traffic is taken to meet a fault.
const mostWatched = 4096

// unknown is what was not looked at.
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

// look notes the state of a port before a change.
func (m meetings) look(n *fabric.Network, now unit.Time, port topo.PortID) {
	if v, ok := m[meeting{port, now}]; ok && v == unknown {
		m[meeting{port, now}] = n.Met(port, now)
	}
}
