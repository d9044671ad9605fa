package sending

// This file decides when packets tell their receiver that messages wait behind theirs
// (CongestionControl.Backlog). Only connections per pair of hosts do so. With a connection per
// message, no message waits; with a pool, any connection may take the waiting ones.

// announcesBacklog reports whether packets of a connection carry this information.
func (s *Side) announcesBacklog(c *connection) bool {
	g := s.group(c)
	return g.Congestion.Backlog && g.PerPair
}

// followed reports whether other messages came to the connection after m. They may have begun:
// the receiver knows which have.
func (s *Side) followed(m *message) bool {
	return s.announcesBacklog(m.conn) && int32(m.conn.queue.latest-m.serial) > 0
}

// unfollow removes a cancelled message from what later packets say. It reports whether the
// connection has other messages that nothing was sent of.
func (s *Side) unfollow(m *message) (others bool) {
	c := m.conn
	if !s.announcesBacklog(c) {
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
