package sending

// This file tells choosers of explicit paths.

// tellPaths tells a connection's chooser the paths to its destination.
func (s *Side) tellPaths(c *connection) {
	c.pathsVersion = s.Network.Reroutes
	c.entropy.End()
	s.pathList = s.Network.Tell(c.entropy.Entropy, s.hosts[c.src].ID, c.dst, s.pathList)
}

// remindPaths tells a connection its paths again if they changed since it was last told.
func (s *Side) remindPaths(c *connection) {
	if c.pathsVersion != s.Network.Reroutes {
		s.tellPaths(c)
	}
}

// Reroute tells the choosers of messages under way that explicit paths changed. The caller must
// have increased Network.Reroutes.
func (s *Side) Reroute() {
	for _, m := range s.messages {
		if m.live && m.conn != nil && m.conn.entropy.Entropy != nil {
			s.remindPaths(m.conn)
		}
	}
}
