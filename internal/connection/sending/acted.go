package sending

import "weft/protocol"

// Acted tells what the options of a group of traffic ever did.
type Acted struct {
	// Started counts its messages.
	Started uint64
	// Window tells that a connection had something to send and its window, or its credit, was used up; Pace
	// that one waited for its pace, or that of its bundle; ReorderLimit and Nagle that one waited for these.
	Window, Pace, ReorderLimit, Nagle bool
	// Reacted tells that a chooser changed its choice for what it heard; see protocol.Reactive.
	Reacted bool
}

// Acted notes in a list, by group, what options did so far. It counts no messages.
func (s *Side) Acted(list []Acted) {
	for i := range s.hosts {
		for key, b := range s.hosts[i].bundles {
			for g := range list {
				if b.kept && s.Network.Groups[g].Bundles == key.Group {
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
			a.Window = a.Window || c.kept&keptByWindow != 0
			a.Pace = a.Pace || c.kept&keptByPace != 0
			a.ReorderLimit = a.ReorderLimit || c.kept&keptByReorderLimit != 0
			a.Nagle = a.Nagle || c.kept&keptByNagle != 0
			if r, ok := c.entropy.Entropy.(protocol.Reactive); ok && r.Reacted() {
				a.Reacted = true
			}
		}
	}
}
