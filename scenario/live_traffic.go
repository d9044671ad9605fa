package scenario

import (
	"errors"
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
	// Convergence has the window in which receivers measure how long senders take to take notice of others, nil if they do not.
	Convergence *transport.Convergence
	// Groups are the groups of traffic as they are simulated, with replies and backgrounds.
	Groups []LiveGroup
	// Entropies is how many the balancer chooses among (protocol.Balancer.Entropies). It is 0 where that makes no difference: the
	// balancer does not say, or there is one path.
	Entropies int
	// Unlike says what the simulation has otherwise, as far as it is of one feature.
	Unlike []string
	// Windows tells that series of windows are recorded.
	Windows bool
}

// LiveGroup is a group of traffic as it is simulated.
type LiveGroup struct {
	// Key returns where the file has a key of its transport: with that of all traffic, or with its own.
	Key func(key string) string
	transport.Params
	// Fixed tells that the file states the timeout.
	Fixed bool
}

// LiveTraffic returns what the traffic of a scenario is for real endpoints. Its errors are *config.Error: those
// of LiveFabric, or what endpoints cannot do. With an error the traffic has groups if more can be checked: transports that endpoints
// cannot carry are reported alone.
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
	if len(wrong) == 0 { // else something that is refused may need the classes
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
