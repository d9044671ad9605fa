package scenario

import (
	"cmp"
	"strings"

	"weft/protocol"
)

// This file says of the entries of a registry what they need, before there is any scenario.

// Refusal is a balancer that cannot go with a congestion control.
type Refusal struct {
	Balancer   string `json:"balancer"`
	Congestion string `json:"congestion"`
	// Missing is what one of both needs and the other does not offer.
	Missing string `json:"missing"`
}

// Refusals returns the pairs of balancer and congestion control of a registry, each with
// its defaults, that scenarios cannot have, in the order of the registry. Entries that
// cannot be built by their defaults are left out.
func Refusals(reg *Registry) (list []Refusal) {
	for _, be := range reg.Balancers.Entries() {
		b, err := be.BuildDefault()
		if err != nil {
			continue
		}
		for _, ce := range reg.Congestion.Entries() {
			c, err := ce.BuildDefault()
			if err != nil {
				continue
			}
			if m := missing(&b, &c); m != "" {
				list = append(list, Refusal{be.Name, ce.Name, m})
			}
		}
	}
	return list
}

// mutual is what a balancer and a congestion control have for each other.
const mutual = protocol.AckClock | protocol.PacketAcks | protocol.PathEchoes | protocol.Connections | protocol.Symmetric

// missing returns what a balancer and a congestion control lack together, or "". A balancer that
// is not what the control needs is not asked for its own needs.
func missing(b *protocol.Balancer, c *protocol.CongestionControl) string {
	o := offers{has: b.Provides() | c.Provides()}
	for _, needs := range [...]protocol.Needs{c.Needs, b.Requires()} {
		var nouns []string
		for _, n := range needTable() {
			if n.need&mutual != 0 && n.lacking(&needs, &o) {
				nouns = append(nouns, n.noun)
			}
		}
		if len(nouns) > 0 {
			return strings.Join(nouns, ", and ")
		}
	}
	return ""
}

// ControlNeeds returns what a scenario must have for a congestion control of a registry with
// its defaults, as it is written there, and what the control does where it lacks what it can do
// without. It knows nothing of controls that cannot be built by their defaults.
func ControlNeeds(reg *Registry, name string) (needs, without []string) {
	e, ok := reg.Congestion.Lookup(name)
	if !ok {
		return nil, nil
	}
	c, err := e.BuildDefault()
	if err != nil {
		return nil, nil
	}
	needs, without = inWords(&c.Needs)
	if c.Provides()&protocol.PathEchoes == 0 && !c.Needs.Must.Has(protocol.Symmetric) {
		needs = append(needs, "a transport.balancer that learns nothing, such as "+plain)
	}
	return needs, without
}

// BalancerNeeds is ControlNeeds of a balancer.
func BalancerNeeds(reg *Registry, name string) (needs, without []string) {
	e, ok := reg.Balancers.Lookup(name)
	if !ok {
		return nil, nil
	}
	b, err := e.BuildDefault()
	if err != nil {
		return nil, nil
	}
	n := b.Requires()
	return inWords(&n)
}

func (r *Registry) factsOfControl(name string) (f Facts) {
	f.Needs, f.Without = ControlNeeds(r, name)
	f.Brings = ControlSetup(r, name)
	return f
}

func (r *Registry) factsOfBalancer(name string) (f Facts) {
	f.Needs, f.Without = BalancerNeeds(r, name)
	if e, ok := r.Balancers.Lookup(name); ok {
		f.Defaults = e.Defaults
		f.State = func(options any) (int, int, error) {
			b, err := e.Build(options)
			return b.StateBits, b.SwitchBits, err
		}
	}
	return f
}

// inWords returns needs as a scenario has them, and what becomes of wants that it has not.
func inWords(n *protocol.Needs) (needs, without []string) {
	for _, row := range needTable() {
		if row.written != nil && n.Must.Has(row.need) {
			needs = append(needs, row.written(n)...)
		}
	}
	for _, w := range n.Wants {
		for _, row := range needTable() {
			if row.need&w.Need != 0 {
				without = append(without, cmp.Or(row.without, "without "+row.noun)+" it "+w.Without)
			}
		}
	}
	return needs, without
}
