package sending

import "weft/protocol"

// Acted records whether a traffic group's options ever had an effect.
type Acted struct {
	// Started is the group's number of messages.
	Started uint64
	// Window is set if the window, or credit, ever stopped a connection with data to send. Pace
	// is set if a connection ever waited for its pace or its bundle's. ReorderLimit and Nagle are
	// set if one ever waited for these.
	Window, Pace, ReorderLimit, Nagle bool
	// Reacted is set if an entropy chooser changed its choice because of feedback
	// (protocol.Reactive).
	Reacted bool
}

// Acted adds to a list, by group, the options that had an effect so far. It does not set Started.
func (s *Side) Acted(list []Acted) {
	for i := range s.hosts {
		for key, b := range s.hosts[i].bundles {
			for g := range list {
				if b.stalled && s.Network.Groups[g].Bundles == key.Group {
					list[g].Pace = true
				}
			}
		}
	}
	for _, batch := range s.connections {
		for i := range batch {
			c := &batch[i]
			if c.entropy.Entropy == nil { // never used
				continue
			}
			a := &list[c.group]
			a.Window = a.Window || c.stalls&stalledByWindow != 0
			a.Pace = a.Pace || c.stalls&stalledByPace != 0
			a.ReorderLimit = a.ReorderLimit || c.stalls&stalledByReorderLimit != 0
			a.Nagle = a.Nagle || c.stalls&stalledByNagle != 0
			if r, ok := c.entropy.Entropy.(protocol.Reactive); ok && r.Reacted() {
				a.Reacted = true
			}
		}
	}
}
