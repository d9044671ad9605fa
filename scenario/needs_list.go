package scenario

import (
	"cmp"
	"strings"

	"weft/protocol"
)

// This file lists the needs of a registry's entries, without a scenario.

// Refusal is a balancer that does not work with a congestion control.
type Refusal struct {
	Balancer   string `json:"balancer"`
	Congestion string `json:"congestion"`
	// Missing is the property that one of the two needs and the other does not provide.
	Missing string `json:"missing"`
}

// Refusals returns the pairs of balancer and congestion control that scenarios cannot have,
// in the order of the registry. Each entry has its defaults. It leaves out entries that
// cannot be built from their defaults.
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

// mutual holds the properties that balancers and congestion controls provide for each
// other.
const mutual = protocol.AckClock | protocol.PacketAcks | protocol.PathEchoes | protocol.Connections | protocol.Symmetric

// missing returns what a balancer and a congestion control lack together, or "". If the
// balancer does not satisfy the control, its own needs are not checked.
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

// ControlNeeds returns what a scenario must write for a registry's congestion control with
// its defaults, and what the control does without each optional property. It returns
// nothing for a control that cannot be built from its defaults.
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

// BalancerNeeds is ControlNeeds for a balancer.
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

// inWords returns needs as a scenario writes them, and what happens without each optional
// property.
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
