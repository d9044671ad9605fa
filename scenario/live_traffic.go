package scenario

import (
	"errors"
	"fmt"
	"reflect"

	"weft/problem"
	"weft/protocol"
	"weft/transport"
	"weft/unit"
)

// LiveTraffic is what who carries messages of a scenario by means of its own must know: the transport that all of them have.
type LiveTraffic struct {
	// Fabric is what carries it.
	Fabric LiveFabric
	// Name tells the transport and its options apart from those of other scenarios.
	Name     string
	Control  protocol.CongestionControl
	Balancer protocol.Balancer
	// Payload and Header are those of a full packet.
	Payload, Header unit.Bytes
	// Kept tells that each host keeps one connection to each other one, and Ordered that losses show by the order of packets.
	Kept, Ordered bool
	// Convergence has the window in which receivers measure how long senders take to take notice of others, nil if they do not.
	Convergence *transport.Convergence
}

// LiveTraffic returns what the traffic of a scenario is for real endpoints. Its errors are *config.Error: those
// of LiveFabric, or what cannot be done by endpoints. What the transport needs of hosts is left to who makes it.
func (s *Scenario) LiveTraffic() (t LiveTraffic, err error) {
	p, err := s.plan(nil)
	if err != nil {
		return t, err
	}
	fabric, err := s.liveFabric(p)
	if err != nil {
		return t, err
	}
	hash, err := s.Hash()
	if err != nil {
		return t, err
	}
	var wrong []error
	var first *Transport
	for path, one := range s.carriers() {
		if first == nil {
			first = one
		}
		if key := one.differsIn(first); key != "" {
			wrong = append(wrong, at(problem.Join(path, key), problem.New("real endpoints have one transport for all messages, and that of the first traffic has another %s", key).
				Mend("give all traffic the same transport")))
		}
	}
	for i := range s.Traffic {
		if s.Traffic[i].LookAhead != "none" {
			wrong = append(wrong, at(fmt.Sprintf("traffic[%d].look_ahead", i), problem.New("real endpoints tell nobody of an incast beforehand").Mend("remove look_ahead")))
		}
	}
	if n := p.queues.port.Classes; n > 1 {
		wrong = append(wrong, at("fabric.classes", problem.New("all packets of real endpoints are of one class, and ports have %d", n).
			Mend("choose a transport or options that need one class, such as priority: none of sird")))
	}
	if err := errors.Join(wrong...); err != nil {
		return t, s.placed(err)
	}
	g := &p.groups[0]
	return LiveTraffic{
		Fabric:  fabric,
		Name:    first.Congestion.Kind + ", " + first.Balancer.Kind + ", " + hash,
		Control: g.Congestion, Balancer: g.Balancer, Payload: g.Payload, Header: g.Header,
		Kept: first.Connection == "pair", Ordered: first.Recovery.kind() == byOrder,
		Convergence: partOf[converging](p).measured,
	}, nil
}

// differsIn returns a key that makes two transports differ on real endpoints, "" if none does.
func (t *Transport) differsIn(o *Transport) string {
	switch {
	case t.Payload != o.Payload:
		return "payload"
	case t.Header != o.Header:
		return "header"
	case t.Congestion.Kind != o.Congestion.Kind || !reflect.DeepEqual(t.Congestion.Options, o.Congestion.Options):
		return "congestion"
	case t.Connection != o.Connection:
		return "connection"
	case t.Recovery.kind() != o.Recovery.kind():
		return "recovery"
	case t.Balancer.Kind != o.Balancer.Kind || !reflect.DeepEqual(t.Balancer.Options, o.Balancer.Options):
		return "balancer"
	case t.Burst != o.Burst:
		return "burst"
	}
	return ""
}
