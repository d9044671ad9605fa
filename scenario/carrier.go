package scenario

import "weft/protocol"

// This file checks the parts of a scenario against the table of needs (needs_table.go):
// once after the scenario is read, and again when its network is planned.

// part is a part of a scenario that needs something.
type part struct {
	sort  sort
	path  string // key that names the part
	kind  string
	needs protocol.Needs
}

// sort is the sort of a part, such as a control or a balancer.
type sort string

const (
	aControl   sort = "control"
	aBalancer  sort = "balancer"
	aMarking   sort = "marking"
	anAdmitter sort = "admission"
	aScheduler sort = "scheduler"
)

// ofFabric reports whether the part belongs to the fabric, not to a transport.
func (s sort) ofFabric() bool { return s == aMarking || s == anAdmitter || s == aScheduler }

// carrier is the transport of a group of traffic, with the parts that could be built.
type carrier struct {
	path     string
	t        *Transport
	balancer protocol.Balancer
	// brought names the balancer if the control brings it.
	brought    string
	congestion protocol.CongestionControl
	// rules are the rules of the fabric. Only the first group's carrier has them, so that
	// each is checked once.
	rules []part
}

// rules returns the fabric's rules of marking, admission and scheduling that can be built.
func (f *Fabric) rules() (list []part) {
	if m, err := f.ECN.Build(); err == nil {
		list = append(list, part{aMarking, "fabric.ecn", f.ECN.Kind, m.Needs})
	}
	for i, e := range f.Ports {
		if e.ECN == nil {
			continue
		}
		if m, err := e.ECN.Build(); err == nil {
			list = append(list, part{aMarking, entryPath(i) + ".ecn", e.ECN.Kind, m.Needs})
		}
	}
	if f.Admission != nil {
		if a, err := f.Admission.Build(); err == nil {
			list = append(list, part{anAdmitter, "fabric.admission", f.Admission.Kind, a.Needs})
		}
	}
	if f.Scheduler != nil {
		if s, err := f.Scheduler.Build(); err == nil {
			list = append(list, part{aScheduler, "fabric.scheduler", f.Scheduler.Kind, s.Needs})
		}
	}
	return list
}

// classes returns the priority classes of data and of acknowledgements. A fabric that trims
// reserves class 0 for trimmed headers, and acknowledgements share it.
func (t *Transport) classes(trims bool) (data, ack uint8) {
	data = uint8(t.Class)
	ack = data
	if trims {
		data, ack = max(1, data), 0
	}
	if t.Ack.Class != nil {
		ack = uint8(*t.Ack.Class)
	}
	return data, ack
}

// inTurn reports whether messages take the connections of a pool in turn.
func (t *Transport) inTurn() bool {
	return t.Connection == pooled && t.Pick != nil && *t.Pick == inTurn
}

// parts returns the parts of a transport. The control comes first: when needs clash, the
// other parts yield to it.
func (c *carrier) parts() []part {
	return append([]part{
		{aControl, c.path + ".congestion", c.t.Congestion.Kind, c.congestion.Needs},
		{aBalancer, c.path + ".balancer", c.t.Balancer.Kind, c.balancer.Requires()},
	}, c.rules...)
}
