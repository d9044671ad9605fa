package transport

import "weft/protocol"

// This file tells choosers of explicit paths.

// tell tells a chooser of the paths from a host to another, if it wants to know.
func (e *Endpoint) tell(c protocol.Entropy, src, dst int32) {
	if e.t.paths == nil {
		return
	}
	if k, ok := c.(protocol.PathChooser); ok {
		e.pathList = e.t.paths(src, dst, e.pathList[:0])
		k.SetPaths(e.pathList)
	}
}

// tellPaths tells a connection's chooser of its paths.
func (e *Endpoint) tellPaths(c *connection) {
	c.told = e.t.reroutes
	e.tell(c.entropy, e.hosts[c.src].id, c.dst)
}

// remindPaths tells a connection that was idle of paths that changed meanwhile.
func (e *Endpoint) remindPaths(c *connection) {
	if c.told != e.t.reroutes {
		e.tellPaths(c)
	}
}

// Reroute tells all senders that explicit paths changed. It is called between two calls of the network's Run.
func (t *Transport) Reroute() {
	if t.paths == nil {
		return
	}
	t.reroutes++
	for _, e := range t.endpoints {
		for _, m := range e.messages {
			if m.live && m.conn != nil && m.conn.entropy != nil {
				e.remindPaths(m.conn)
			}
		}
		for h := range e.hosts {
			if t := e.hosts[h].hosted; t != nil {
				for _, row := range t.routes {
					for dst, c := range row {
						if c != nil {
							e.tell(c.Entropy, e.hosts[h].id, int32(dst))
						}
					}
				}
			}
		}
	}
}
