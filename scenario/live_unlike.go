package scenario

import (
	"fmt"

	"weft/problem"
)

// unlike refuses parts of a file that real endpoints and the hosts of this machine cannot
// do and would silently leave out. Parts that they do differently are reported elsewhere,
// by the code that knows how.
func (s *Scenario) unlike(p *plan) (wrong []error) {
	refuse := func(path, why, remedy string, args ...any) {
		wrong = append(wrong, at(path, problem.New("%s", why).Mend(remedy, args...)))
	}
	for i := range s.Traffic {
		t := &s.Traffic[i]
		path := fmt.Sprintf("traffic[%d].", i)
		if t.LookAhead != "none" {
			refuse(path+"look_ahead", "real endpoints tell nobody of an incast beforehand", "remove look_ahead")
		}
		if t.Tenant != nil {
			refuse(path+"tenant", "real endpoints know no tenants, and have all messages share alike", "remove tenant")
		}
	}
	if p.layered() && !p.explicit() { // a conflict refuses explicit paths
		refuse("routing.policy", "a packet's entropy names its layer, and switches hash the source ports of real endpoints into others", "choose another policy, such as ecmp")
	}
	g := 0
	told := map[string]bool{}
	for path, t := range s.carriers() {
		params := &p.groups[g].Params
		g++
		// Groups that inherit a key from the scenario's transport share its mistake, so it
		// is reported once.
		refuseOnce := func(key, why, remedy string, args ...any) {
			if where := s.written(problem.Join(path, key)); !told[where] {
				told[where] = true
				refuse(where, why, remedy, args...)
			}
		}
		if params.Congestion.Host.Groups > 1 {
			refuseOnce("congestion.weights", "real endpoints know no tenants and no groups of traffic, and so no weights of these", "remove weights")
		}
		if params.Congestion.NewHost != nil { // host transports ignore the following options in the simulator, too
			continue
		}
		if s.Fabric.NIC == fifo && !told["fabric.nic"] {
			told["fabric.nic"] = true
			refuse("fabric.nic", "real endpoints send a packet when the link is free, and have no queue at their NIC", "write nic: pull")
		}
		if params.Reply > 0 {
			refuseOnce("ack.reply", "real endpoints add nothing to acknowledgements", "remove ack.reply, or write a reply for the group of traffic")
		}
		if params.Nagle {
			refuseOnce("nagle", "real endpoints send the last packet of a message like any other", "remove nagle")
		}
		if params.ConnectionTimer {
			refuseOnce("timer", "real endpoints time each packet", "write timer: packet")
		}
		if t.ReorderLimit != nil {
			refuseOnce("reorder_limit", "real endpoints have no such limit", "remove reorder_limit")
		}
	}
	return wrong
}
