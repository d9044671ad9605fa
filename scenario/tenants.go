package scenario

import (
	"fmt"
	"math"
	"slices"

	"weft/problem"
	"weft/transport"
	"weft/workload"
)

// This file resolves tenants and incasts of traffic, and the marks of hosts.

// mostTenants is the most tenants that can be distinguished.
const mostTenants = 64

// numberTenants numbers the tenants in the order in which traffic names them. Groups
// without a tenant come first.
func numberTenants(groups []Traffic) map[string]uint8 {
	numbers := map[string]uint8{}
	for _, named := range []bool{false, true} {
		for i := range groups {
			if name := groups[i].tenant(); (name != "") == named {
				if _, known := numbers[name]; !known {
					numbers[name] = uint8(len(numbers))
				}
			}
		}
	}
	return numbers
}

// tenant returns the name of a group's tenant, or "" for none.
func (t *Traffic) tenant() string {
	if t.Tenant == nil {
		return ""
	}
	return *t.Tenant
}

// tenants checks the names and number of tenants.
func (v *validation) tenants() {
	for i := range v.s.Traffic {
		if t := v.s.Traffic[i].tenant(); v.s.Traffic[i].Tenant != nil && (!groupName.MatchString(t) || len(t) > maxName) {
			v.errorf(fmt.Sprintf("traffic[%d].tenant", i), "%.80q cannot name a tenant; a name consists of letters, digits, _ and -, begins with a letter, and has at most %d characters", t, maxName)
		}
	}
	if n := len(numberTenants(v.s.Traffic)); n > mostTenants {
		v.wrong("traffic", problem.New("there are %d tenants", n).Mend("at most %d are allowed", mostTenants))
	}
}

// lookAhead returns the hosts that messages of a group may list. It notes a list that has
// no effect.
func (p *plan) lookAhead(s *Traffic, params *transport.Params, members []int32) ([]int32, error) {
	if params.Congestion.ListBytes == 0 {
		p.notice(fmt.Sprintf("look_ahead of %s has no effect with %s, which tells receivers of no incast", s.Name, s.Transport.Congestion.Kind))
	}
	if members == nil {
		for h := range p.graph.Hosts {
			members = append(members, int32(h))
		}
	}
	return members, nil
}

// hintAdvice notes controls that advertise shares to listed senders, if no traffic lists any.
func (p *plan) hintAdvice(s *Spec) {
	lists := slices.ContainsFunc(s.Traffic, func(t Traffic) bool { return t.LookAhead != "" && t.LookAhead != workload.ListNone })
	for t, g := range p.transports(s) {
		if g.Congestion.Advertise && !lists {
			p.notice(fmt.Sprintf("advertise of %s has no effect: no traffic lists its senders (look_ahead)", t.Congestion.Kind))
		}
	}
}

// sourceMarks returns how a host marks for controls that ask for it: like a switch port of
// its rate. Marking rules other than RED do not apply at hosts.
func (p *plan) sourceMarks(host int32) transport.SourceMarks {
	if p.queues.rules.fabric.marking.Core {
		return transport.SourceMarks{}
	}
	c := p.config(&p.queues.rules.fabric, p.lineRate(host))
	return transport.SourceMarks{On: c.ECN, KMin: c.KMin, KMax: c.KMax, PMax: uint32(min(float64(c.PMax)*(1<<32), math.MaxUint32))}
}

// hintCounts notes acknowledgements that carry the number of senders but queue behind data,
// where both cross links between switches. Dart serves acknowledgements first (§III-A,
// §VI-A).
func (p *plan) hintCounts(s *Spec) {
	if p.switchCount() == 1 {
		return
	}
	for t, g := range p.transports(s) {
		if g.Congestion.ListBytes > 0 && g.AckClass >= g.Class {
			p.notice(fmt.Sprintf("acknowledgements of %s bring senders their shares, but wait behind data; write fabric: {classes: %d} and transport: {class: %d, ack: {class: 0}}, as in Dart §III-A", t.Congestion.Kind, max(2, s.Fabric.Classes), max(1, t.Class)))
		}
	}
}
