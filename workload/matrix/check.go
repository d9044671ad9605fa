package matrix

// check finds undeclared references, triggers that are activated too often, and connections that
// never start.
func (p *parser) check() error {
	m := p.m
	triggers := make(map[uint32]int, len(m.Triggers))
	for i, t := range m.Triggers {
		if j, taken := triggers[t.ID]; taken {
			return p.errorAt(t.line, 0, "trigger %d is already declared in line %d; give this one its own id", t.ID, m.Triggers[j].line)
		}
		triggers[t.ID] = i
	}
	named := make(map[uint32]int, len(m.Connections))
	for i, c := range m.Connections {
		for _, ref := range []uint32{c.Trigger, c.SendDone, c.RecvDone} {
			if _, ok := triggers[ref]; !ok && ref != 0 {
				return p.errorAt(c.line, 0, "trigger %d is not declared; add a line as in trigger id %[1]d oneshot, and count it under Triggers", ref)
			}
		}
		if c.ID == 0 {
			continue
		}
		j, taken := named[c.ID]
		switch first := func() *Connection { return &m.Connections[j] }; {
		case c.Message && !taken: // the first message opens the connection, as in htsim
			m.Connections[i].Message = false
			named[c.ID] = i
		case c.Message && (c.Src != first().Src || c.Dst != first().Dst):
			return p.errorAt(c.line, 0, "connection %d is %d->%d in line %d; its messages must have the same ends", c.ID, first().Src, first().Dst, first().line)
		case !c.Message && taken:
			return p.errorAt(c.line, 0, "connection %d is already in line %d; give this one its own id, or write msg if it is a message of that connection", c.ID, first().line)
		case !c.Message:
			named[c.ID] = i
		}
	}
	return p.alive(triggers)
}

// alive finds connections that never start.
func (p *parser) alive(triggers map[uint32]int) error {
	m := p.m
	targets := make([][]int, len(m.Triggers))   // connections that wait for each trigger
	sources := make([]int, len(m.Triggers))     // activations if all connections run
	activations := make([]int, len(m.Triggers)) // activations by connections that start
	begun := make([]int, len(m.Triggers))       // targets started so far
	var ready []int                             // connections that start
	started := make([]bool, len(m.Connections))
	for i, c := range m.Connections {
		if c.Trigger != 0 {
			t := triggers[c.Trigger]
			targets[t] = append(targets[t], i)
		} else {
			ready = append(ready, i)
		}
		for _, id := range []uint32{c.SendDone, c.RecvDone} {
			if id != 0 {
				sources[triggers[id]]++
			}
		}
	}
	for i, t := range m.Triggers {
		switch {
		case t.Kind == Oneshot && sources[i] > 1:
			return p.errorAt(t.line, 0, "trigger %d fires once, but %d connections activate it; make it a barrier with count %[2]d, or a multishot", t.ID, sources[i])
		case t.Kind == Barrier && sources[i] > t.Count:
			return p.errorAt(t.line, 0, "barrier %d waits for %d connections, but %d activate it; correct the count", t.ID, t.Count, sources[i])
		case t.Kind == Barrier && sources[i] < t.Count && len(targets[i]) > 0:
			return p.errorAt(t.line, 0, "barrier %d never fires: it waits for %d connections, but %d activate it; correct the count", t.ID, t.Count, sources[i])
		case sources[i] == 0 && len(targets[i]) > 0:
			return p.errorAt(t.line, 0, "trigger %d never fires, but %d connections wait for it; name it as send_done_trigger or recv_done_trigger of a connection", t.ID, len(targets[i]))
		}
	}
	for len(ready) > 0 {
		c := &m.Connections[ready[len(ready)-1]]
		started[ready[len(ready)-1]] = true
		ready = ready[:len(ready)-1]
		for _, id := range []uint32{c.SendDone, c.RecvDone} {
			if id == 0 {
				continue
			}
			i := triggers[id]
			activations[i]++
			fires := 0
			switch m.Triggers[i].Kind {
			case Oneshot:
				fires = len(targets[i])
			case Multishot:
				fires = 1
			case Barrier:
				if activations[i] == m.Triggers[i].Count {
					fires = len(targets[i])
				}
			}
			for ; fires > 0 && begun[i] < len(targets[i]); fires-- {
				ready = append(ready, targets[i][begun[i]])
				begun[i]++
			}
		}
	}
	for i, c := range m.Connections {
		if started[i] {
			continue
		}
		t := triggers[c.Trigger]
		if m.Triggers[t].Kind == Multishot && activations[t] == sources[t] {
			return p.errorAt(c.line, 0, "the connection never starts: multishot %d is activated %d times, but %d connections wait for it", c.Trigger, sources[t], len(targets[t]))
		}
		return p.errorAt(c.line, 0, "the connection never starts: trigger %d waits, directly or through others, for connections that wait for it; give one of them a start", c.Trigger)
	}
	return nil
}
