package congestion

import (
	"weft/protocol"
	"weft/unit"
)

// flowCounter is the receiving end of FNCC at a host: it counts the flows whose data come in.
type flowCounter struct {
	count string
	// within is for how long a connection counts as recent.
	within unit.Time

	open    int32 // messages that began to arrive and have not arrived in full
	held    int32 // connections
	fresh   int32 // connections in the list of recent ones
	senders []sender
	free    []int32
	// newest and oldest are the ends of that list, in the order in which they were heard last.
	newest, oldest int32
}

// sender is a connection at its receiver.
type sender struct {
	open         int32 // messages
	heard        unit.Time
	newer, older int32 // in the list, if listed
	listed       bool
}

const nobody = -1

// mostFlows is what 16 bits hold.
const mostFlows = 1<<16 - 1

// answer adds the receiving end to a control, whose acknowledgements it makes longer.
func (o *LastHop) answer(b *protocol.CongestionControl, bytes unit.Bytes) {
	count := o.Count
	b.Receivers, b.AnswerBytes = flowReceivers{count}, bytes
	b.NewAnswerer = func(env protocol.HostEnv) protocol.Answerer {
		return &flowCounter{count: count, within: env.BaseRTT, newest: nobody, oldest: nobody}
	}
}

// flowReceivers are the options on which the receiving ends of groups must agree to be one.
type flowReceivers struct{ count string }

func (o *LastHop) check() error {
	return first(
		checkRange("lhcs_alpha", o.Alpha, 0, 1000), checkRange("lhcs_beta", o.Beta, 0.001, 1),
		checkWord("lhcs_apply", &o.Apply, applyScaled, applyDirect), checkWord("count", &o.Count, "open", "connections", "recent"))
}

// Open implements protocol.Answerer.
func (c *flowCounter) Open(unit.Time, int32, uint8) int32 {
	c.held++
	if k := len(c.free); k > 0 {
		i := c.free[k-1]
		c.free = c.free[:k-1]
		c.senders[i] = sender{}
		return i
	}
	c.senders = append(c.senders, sender{})
	return int32(len(c.senders) - 1)
}

// Close implements protocol.Answerer.
func (c *flowCounter) Close(_ unit.Time, peer int32) {
	c.unlist(peer)
	c.held--
	c.open -= c.senders[peer].open
	c.free = append(c.free, peer)
}

// Heard implements protocol.Answerer.
func (c *flowCounter) Heard(h *protocol.Heard) {
	s := &c.senders[h.Peer]
	if h.Begins {
		s.open++
		c.open++
	}
	if h.Ends && s.open > 0 {
		s.open--
		c.open--
	}
	c.list(h.Now, h.Peer)
}

// Answer implements protocol.Answerer.
func (c *flowCounter) Answer(now unit.Time, _ int32) (protocol.Answer, bool) {
	n := c.open
	switch c.count {
	case "connections":
		n = c.held
	case "recent":
		for c.oldest != nobody && now-c.senders[c.oldest].heard > c.within {
			c.unlist(c.oldest)
		}
		n = c.fresh
	}
	return protocol.Answer{uint64(min(max(n, 1), mostFlows))}, true
}

// list makes a connection the newest of the list.
func (c *flowCounter) list(now unit.Time, peer int32) {
	if c.count != "recent" {
		return
	}
	c.unlist(peer)
	s := &c.senders[peer]
	s.heard, s.listed, s.newer, s.older = now, true, nobody, c.newest
	if c.newest == nobody {
		c.oldest = peer
	} else {
		c.senders[c.newest].newer = peer
	}
	c.newest = peer
	c.fresh++
}

// unlist takes a connection out of the list.
func (c *flowCounter) unlist(peer int32) {
	s := &c.senders[peer]
	if !s.listed {
		return
	}
	s.listed = false
	c.fresh--
	if s.newer == nobody {
		c.newest = s.older
	} else {
		c.senders[s.newer].older = s.older
	}
	if s.older == nobody {
		c.oldest = s.newer
	} else {
		c.senders[s.older].newer = s.newer
	}
}
