package sending

// This file has what packets tell their receiver of the messages that wait behind theirs (CongestionControl.Backlog). Only
// connections of pairs tell: with a connection for each message none waits, and with a pool any connection may take those that do.

// tells tells whether packets of a connection say so.
func (s *Side) tells(c *connection) bool {
	g := s.group(c)
	return g.Congestion.Backlog && g.PerPair
}

// followed tells whether others came to the connection after a message. They may be under way already: the receiver knows which
// have begun.
func (s *Side) followed(m *message) bool {
	return s.tells(m.conn) && int32(m.conn.queue.latest-m.serial) > 0
}

// unfollow has packets speak no more of a message that is taken back, and tells whether others wait on its connection, of which
// nothing was sent.
func (s *Side) unfollow(m *message) (others bool) {
	c := m.conn
	if !s.tells(c) {
		return false
	}
	var latest *message
	for _, o := range s.messages {
		if !o.live || o.conn != c || o == m {
			continue
		}
		others = others || o.Unseen() == 0
		if latest == nil || int32(o.serial-latest.serial) > 0 {
			latest = o
		}
	}
	if c.queue.latest == m.serial && latest != nil {
		c.queue.latest = latest.serial
	}
	return others
}
