package scenario

import (
	"errors"
	"reflect"

	"weft/problem"
	"weft/protocol"
	"weft/transport"
	"weft/unit"
)

// LiveTraffic describes a scenario's traffic to real endpoints, which carry its messages by
// their own means. All messages have one transport.
type LiveTraffic struct {
	// Fabric carries the messages.
	Fabric LiveFabric
	// Name identifies the transport and its options among those in other scenarios.
	Name     string
	Control  protocol.CongestionControl
	Balancer protocol.Balancer
	// Payload and Header are the sizes of a full packet's parts.
	Payload, Header unit.Bytes
	// Convergence holds the window in which receivers measure how long senders take to
	// react to others; nil if they do not measure it.
	Convergence *transport.Convergence
	// Groups are the groups of traffic as simulated, with replies and background traffic.
	Groups []LiveGroup
	// Entropies is the number of entropies that the balancer chooses among
	// (protocol.Balancer.Entropies). It is 0 if the balancer does not say, or if there is
	// only one path.
	Entropies int
	// Unlike describes how the simulation differs, one text per feature.
	Unlike []string
	// Windows: time series of windows are recorded.
	Windows bool
}

// LiveGroup is a group of traffic as simulated.
type LiveGroup struct {
	// Key returns the path of a key of the group's transport: under the transport of all
	// traffic, or under its own.
	Key func(key string) string
	transport.Params
	// Fixed: the file states the timeout.
	Fixed bool
}

// LiveTraffic returns a scenario's traffic for real endpoints. Its errors are
// *config.Error: the errors of LiveFabric, and features that endpoints lack. If an error
// leaves more to check, the returned traffic has groups. An error about transports that
// endpoints cannot carry comes alone.
func (s *Scenario) LiveTraffic() (t LiveTraffic, err error) {
	if err := s.refusedOnWire(); err != nil {
		return t, err
	}
	p, err := s.plan(nil)
	if err != nil {
		return t, err
	}
	fabric := p.liveFabric()
	hash, err := s.Hash()
	if err != nil {
		return t, err
	}
	wrong := p.unlive()
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
	wrong = append(wrong, s.unlike(p)...)
	if len(wrong) == 0 { // otherwise a refused feature may be what needs the classes
		wrong = s.refusedClasses(p)
	}
	g := &p.groups[0]
	t = LiveTraffic{
		Fabric:  fabric,
		Name:    first.Congestion.Kind + ", " + first.Balancer.Kind + ", " + hash,
		Control: g.Congestion, Balancer: g.Balancer, Payload: g.Payload, Header: g.Header,
		Convergence: partOf[converging](p).measured,
		Windows:     len(s.Record.Windows) > 0,
	}
	for _, one := range features() {
		if one.unlike == nil {
			continue
		}
		if text := one.unlike(p, &s.Spec); text != "" {
			t.Unlike = append(t.Unlike, text)
		}
	}
	if !singlePath(p.graph, p.tables) {
		t.Entropies = g.Balancer.Entropies
	}
	for path, one := range s.carriers() {
		t.Groups = append(t.Groups, LiveGroup{
			Key:    func(key string) string { return s.written(problem.Join(path, key)) },
			Params: p.groups[len(t.Groups)].Params, Fixed: one.RTO != nil,
		})
	}
	if err := errors.Join(wrong...); err != nil {
		return t, s.placed(err)
	}
	return t, nil
}

// differsIn returns a key in which two transports differ in a way that matters to real
// endpoints, or "" for none.
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
