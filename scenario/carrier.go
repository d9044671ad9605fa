package scenario

import "weft/protocol"

// This file asks the table of needs (needs_table.go) what the parts of a scenario lack: when the
// scenario was read, and once more when its network is planned.

// part is a part of a scenario that needs something.
type part struct {
	sort  sort
	path  string // where the scenario names it
	kind  string
	needs protocol.Needs
}

// sort is what a part is.
type sort string

const (
	aControl   sort = "control"
	aBalancer  sort = "balancer"
	aMarking   sort = "marking"
	anAdmitter sort = "admission"
	aScheduler sort = "scheduler"
)

// ofFabric tells whether the part is one of the fabric, and not of a transport.
func (s sort) ofFabric() bool { return s == aMarking || s == anAdmitter || s == aScheduler }

// carrier is the transport of a group of traffic, as far as it is built.
type carrier struct {
	path     string
	t        *Transport
	balancer protocol.Balancer
	// brought names the balancer if the control brings it.
	brought    string
	congestion protocol.CongestionControl
	// rules are those of the fabric, which are asked beside the first group's transport only.
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

// classes returns the priority classes of data and of acknowledgements. In a fabric that
// trims class 0 is left to headers, and acknowledgements go with them.
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

// inTurn tells whether messages take the connections of a pool in turn.
func (t *Transport) inTurn() bool {
	return t.Connection == pooled && t.Pick != nil && *t.Pick == inTurn
}

// parts returns the parts of a transport, first the one for whose sake others are replaced.
func (c *carrier) parts() []part {
	return append([]part{
		{aControl, c.path + ".congestion", c.t.Congestion.Kind, c.congestion.Needs},
		{aBalancer, c.path + ".balancer", c.t.Balancer.Kind, c.balancer.Requires()},
	}, c.rules...)
}
