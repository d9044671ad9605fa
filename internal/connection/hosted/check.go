package hosted

import (
	"fmt"
	"math/rand/v2"

	"weft/protocol"
	"weft/unit"
)

// This file checks which controls and balancers endpoints over sockets can carry.

// CheckControl returns the reason why endpoints cannot carry a control, of connections or of
// hosts, with any balancer. The reason reads as a sentence that begins with "it". It is nil if
// they can.
func CheckControl(c *protocol.CongestionControl) error {
	if c.NewHost == nil {
		return checkConnections(c)
	}
	if why := lacking(c.Needs.Must); why != "" {
		return fmt.Errorf("it %s", why)
	}
	if c.Host.Padded {
		return fmt.Errorf("it pads all packets to full size, which endpoints do not")
	}
	if c.Host.CommonClock {
		return fmt.Errorf("it needs all hosts to follow one clock, and the clocks of real hosts differ")
	}
	return checkWithdrawal(c)
}

// checkWithdrawal returns why a host transport cannot cancel messages or forget peers.
func checkWithdrawal(c *protocol.CongestionControl) error {
	h := c.NewHost(protocol.HostEnv{
		Rand: rand.NewPCG(1, 1), Out: new(protocol.HostOutput), LineRate: 10 * unit.Gbps, BaseRTT: 100 * unit.Microsecond, BDP: 125 * unit.KB,
		Packet: 1500, Payload: 1400, Header: 100, Control: 100, Hosts: 2, Largest: unit.MB, Classes: 8,
	})
	if _, ok := h.(protocol.Canceler); !ok {
		return fmt.Errorf("it cannot cancel a message, as endpoints must")
	}
	if _, ok := h.(protocol.Forgetter); !ok {
		return fmt.Errorf("it cannot forget a peer, as endpoints must")
	}
	return nil
}

// checkConnections is CheckControl for a control of connections.
func checkConnections(c *protocol.CongestionControl) error {
	switch {
	case c.New == nil:
		return fmt.Errorf("it is no control of connections")
	case c.Controller.On():
		return fmt.Errorf("it takes rates or notices from switches, which sockets do not hand over")
	}
	if why := lacking(c.Needs.Must); why != "" {
		return fmt.Errorf("it %s", why)
	}
	if c.Advertise {
		return fmt.Errorf("it tells hosts their share that a list of senders names (advertise), and endpoints send no lists")
	}
	if c.NewReceiver != nil {
		return fmt.Errorf("it has receivers grant credit to connections, which only the simulator does")
	}
	return nil
}

// CheckBalancer returns the reason why endpoints cannot use a balancer with a transport that
// provides certain features, as CheckControl does. It is nil if they can.
func CheckBalancer(b *protocol.Balancer, provided protocol.Need) error {
	switch {
	case b.New == nil:
		return fmt.Errorf("it chooses nothing")
	case b.Spray.Way != protocol.ByHash:
		return fmt.Errorf("it leaves the choice of paths to switches, and endpoints choose by source ports")
	case b.Subflows > 1:
		return fmt.Errorf("it divides messages into subflows, which endpoints do not")
	}
	if _, ok := b.New(protocol.Env{Rand: rand.NewPCG(1, 1), BDPPackets: 1, BDP: 1, Packet: 1, Payload: 1}).(protocol.PathChooser); ok {
		return fmt.Errorf("it chooses among explicit paths, and endpoints know none")
	}
	if why := lacking(b.Requires().Must &^ (provided | b.Provides())); why != "" {
		return fmt.Errorf("it %s", why)
	}
	return nil
}

// given lists what a carrier over sockets offers: marks, unless the path clears them, and
// presumably deep queues.
const given = protocol.Marks | protocol.DeepQueues | protocol.OneLayer | protocol.Pairs

// lacking returns what endpoints lack of a part's needs, to follow "it". It is empty if nothing
// is missing.
func lacking(must protocol.Need) string {
	for _, l := range [...]struct {
		need protocol.Need
		why  string
	}{
		{protocol.Trimming, "needs switches that trim packets to their headers, and sockets hand over whole packets only"},
		{protocol.Telemetry, "needs switches that stamp packets with their queue occupancy (INT), and sockets hand over no stamps"},
		{protocol.Credits, "needs switches that limit credits, and these take all packets of sockets for data"},
		{protocol.Symmetric, "needs data to retrace the path of the packet that it answers, and endpoints do not know that path"},
		{protocol.Pauses, "needs switches that pause their neighbours instead of dropping (PFC), and endpoints cannot rely on that"},
		{protocol.SharedBuffer, "needs a buffer that the ports of a switch share, and endpoints cannot rely on that"},
		{protocol.OnePath, "needs a balancer that keeps to one path"},
		{protocol.AckClock, "needs acknowledgements that clock packets out, which the transport does not send"},
		{protocol.PacketAcks, "needs an acknowledgement for each packet, which the transport does not send"},
		{protocol.PathEchoes, "needs to hear of the packets that arrived, which the transport does not tell"},
		{protocol.Connections, "needs connections, which the transport has none of"},
	} {
		if must&l.need != 0 {
			return l.why
		}
	}
	if must &^= given; must != 0 {
		return fmt.Sprintf("needs what no endpoint has (%#x)", uint32(must))
	}
	return ""
}
