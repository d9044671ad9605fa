package transport

import "weft/protocol"

// kept tells what ever kept a connection from sending. It stays when the connection is used again, so that what no
// connection of a group met never acted.
type kept uint8

const (
	keptByWindow kept = 1 << iota
	keptByPace
	keptByReorderLimit
	keptByNagle
)

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

// Acted returns that of all groups so far.
func (t *Transport) Acted() []Acted {
	list := make([]Acted, len(t.groups))
	for _, e := range t.endpoints {
		for i := range e.hosts {
			if t := e.hosts[i].hosted; t != nil {
				t.reacted(list)
			}
			for g := range e.hosts[i].sources {
				list[g].Started += e.hosts[i].sources[g].ordinal
			}
			for key, b := range e.hosts[i].bundles {
				for g := range list {
					if b.kept && e.t.bundles[g] == key.group {
						list[g].Pace = true
					}
				}
			}
		}
		for _, batch := range e.connections {
			for i := range batch {
				c := &batch[i]
				if c.entropy == nil { // never used
					continue
				}
				a := &list[c.group]
				a.Window = a.Window || c.kept&keptByWindow != 0
				a.Pace = a.Pace || c.kept&keptByPace != 0
				a.ReorderLimit = a.ReorderLimit || c.kept&keptByReorderLimit != 0
				a.Nagle = a.Nagle || c.kept&keptByNagle != 0
				if r, ok := c.entropy.(protocol.Reactive); ok && r.Reacted() {
					a.Reacted = true
				}
			}
		}
	}
	return list
}

// reacted notes which groups have a chooser that reacted.
func (t *hosted) reacted(list []Acted) {
	for g, peers := range t.routes {
		for _, c := range peers {
			if c == nil {
				continue
			}
			if r, ok := c.Entropy.(protocol.Reactive); ok && r.Reacted() {
				list[g].Reacted = true
				break
			}
		}
	}
}
