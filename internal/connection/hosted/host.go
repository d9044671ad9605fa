package hosted

import (
	"fmt"

	"weft/internal/connection"
	"weft/internal/connection/end"
	"weft/internal/packet"
	"weft/protocol"
	"weft/sim"
	"weft/unit"
)

// host is a host transport made of one host's connections.
type host struct {
	env              protocol.HostEnv
	net              end.Network
	store            packet.Store
	connections      connection.Hosts
	now              unit.Time // time of the last call
	oblivious        bool
	announcesBacklog bool // packets carry whether messages wait behind theirs (protocol.CongestionControl.Backlog)

	peers []*peer // by number; nil until there is something to do with the peer
	// places locates the connections' messages, by their number in packets.
	places []place
	// probes is the peer that each prober probed last, plus 1, by the prober's number.
	probes []int32
	// freed lists peers to which another message may begin.
	freed       []int32
	withdrawals withdrawals
	delivered   bool // a message was delivered in the current call

	said said          // of the packet that arrived
	more protocol.More // of the packet that leaves
}

// place locates a message: its peer, and its number there.
type place struct {
	peer   int32
	number uint32
}

func newHost(c protocol.CongestionControl, b protocol.Balancer, env protocol.HostEnv) *host {
	h := &host{env: env, oblivious: b.Oblivious, announcesBacklog: c.Backlog, peers: make([]*peer, env.Hosts), withdrawals: withdrawals{due: unit.Forever}}
	h.net = end.Network{
		Seed: env.Rand.Uint64(), Names: make([]uint64, env.Hosts), Late: late,
		LineRate: func(int32) unit.Rate { return env.LineRate },
	}
	for i := range h.net.Names {
		h.net.Names[i] = sim.Mix(uint64(i) + 1)
	}
	p := Params(c, b, &env)
	for range groups {
		h.net.Groups = append(h.net.Groups, end.Group{Params: p})
	}
	end.ShareBundles(h.net.Groups)
	h.connections.Open(connection.Config{
		Store: &h.store, Network: &h.net, Carrier: h, Hosts: []int32{env.Host}, Observer: h,
	})
	return h
}

// local is the host's number among the carrier's hosts. There is one.
const local = 0

// outbox returns the queue of packets to send, without data.
func (h *host) outbox() *end.Outbox { return &h.connections.Host(local).Out }

// catchUp handles the deadlines up to now, each as of its own time.
func (h *host) catchUp(now unit.Time) {
	agenda := &h.connections.Host(local).Agenda
	for len(*agenda) > 0 && (*agenda)[0].At <= now {
		d := agenda.Pop()
		h.now = max(h.now, d.At)
		h.connections.Expire(h.now, local, d)
	}
	h.now = now
	h.repeat(now)
}

// Submit implements protocol.HostTransport.
func (h *host) Submit(now unit.Time, m *protocol.HostMessage) {
	h.catchUp(now)
	p := h.peer(m.Peer)
	g := short
	if m.Bytes > h.env.BDP {
		g = long
	}
	p.waiting[g].Push(pending{tag: m.Tag, bytes: m.Bytes})
	h.begin(now, p)
}

// Ready implements protocol.HostTransport.
func (h *host) Ready() (unit.Time, bool) { return 0, h.connections.Ready(local) }

// Deadline implements protocol.HostTransport.
func (h *host) Deadline() (at unit.Time, ok bool) {
	at = h.withdrawals.due
	if agenda := h.connections.Host(local).Agenda; len(agenda) > 0 {
		at = min(at, agenda[0].At)
	}
	return at, at < unit.Forever
}

// Expire implements protocol.HostTransport.
func (h *host) Expire(now unit.Time) { h.catchUp(now) }

// Next implements protocol.HostTransport.
func (h *host) Next(now unit.Time, p *protocol.Packet) bool {
	h.catchUp(now)
	for {
		id, _, ok := h.connections.Next(now, local)
		if !ok {
			return false
		}
		ok = h.write(h.store.At(id), p)
		h.store.Free(id)
		if ok {
			return true
		}
	}
}

// Receive implements protocol.HostTransport.
func (h *host) Receive(now unit.Time, p *protocol.Packet) (fresh unit.Bytes) {
	h.catchUp(now)
	if uint32(p.Peer) >= uint32(len(h.peers)) || p.Peer == h.env.Host || p.Group != 0 {
		return 0
	}
	switch p.Kind {
	case kindData:
		fresh = h.onData(now, p)
	case kindAck:
		h.onAck(now, p)
	case kindProbe:
		h.onProbe(p)
	case kindEcho:
		h.onEcho(now, p)
	case kindInquiry:
		h.onInquiry(p)
	case kindAnswer:
		h.onAnswer(now, p)
	case kindWithdrawal:
		h.onWithdrawal(now, p)
	case kindWithdrawn:
		h.onWithdrawn(p)
	}
	h.beginFreed(now)
	h.repeat(now)
	return fresh
}

// beginFreed begins waiting messages to peers that have a free number.
func (h *host) beginFreed(now unit.Time) {
	for _, n := range h.freed {
		if q := h.peers[n]; q != nil {
			h.begin(now, q)
		}
	}
	h.freed = h.freed[:0]
}

// Check implements protocol.HostTransport.
func (h *host) Check() error {
	if err := h.connections.Sending.Check(); err != nil {
		return err
	}
	if b := h.connections.Sending.Breach(); b != nil {
		return fmt.Errorf("connection: at %v: %s", b.At, b.Rule)
	}
	for _, p := range h.peers {
		if p == nil {
			continue
		}
		if err := p.check(); err != nil {
			return err
		}
	}
	return nil
}
