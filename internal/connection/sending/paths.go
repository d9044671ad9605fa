package sending

// This file tells choosers of explicit paths.

// tellPaths tells a connection's chooser of its paths.
func (s *Side) tellPaths(c *connection) {
	c.told = s.Network.Reroutes
	c.entropy.End()
	s.pathList = s.Network.Tell(c.entropy.Entropy, s.hosts[c.src].ID, c.dst, s.pathList)
}

// remindPaths tells a connection that was idle of paths that changed meanwhile.
func (s *Side) remindPaths(c *connection) {
	if c.told != s.Network.Reroutes {
		s.tellPaths(c)
	}
}

// Reroute tells the choosers of messages under way that explicit paths changed, after Network.Reroutes was counted up.
func (s *Side) Reroute() {
	for _, m := range s.messages {
		if m.live && m.conn != nil && m.conn.entropy.Entropy != nil {
			s.remindPaths(m.conn)
		}
	}
}
