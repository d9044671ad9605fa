package scenario

import (
	"fmt"
	"slices"
	"strings"

	"weft/protocol"
	"weft/transport"
)

// The checks of groups of traffic and their transports at the end of a run.

// actedTraffic reports groups that sent nothing.
func (v *review) actedTraffic() {
	g := 0
	for path := range v.s.carriers() {
		path = strings.TrimSuffix(path, ".transport")
		if v.did[g].Started == 0 {
			v.never(path, v.groups[g].Name, "no message was started")
		}
		g++
	}
}

// actedControls reports congestion controls that never held a sender back or never heard a
// signal.
func (v *review) actedControls() {
	packets := v.Transport.Packets()
	v.byGroup("congestion", func(t *Transport) string { return t.Congestion.Kind }, func(g int) string {
		c, did := &v.groups[g].Congestion, &v.did[g]
		switch {
		case did.Started == 0 || c.New == nil:
			return ""
		case !did.Window && !did.Pace && c.NewReceiver != nil:
			return "no connection was out of credit"
		case !did.Window && !did.Pace:
			return "no connection had to wait for its window or its pace"
		case c.Controller.New != nil && !c.Controller.Fields && v.total.Notices == 0:
			return "no switch sent a notice"
		case c.Needs.Must.Has(protocol.Marks) && c.NewBundle == nil && packets[g].Marked == 0 && v.total.Retransmits+v.total.Trims == 0 && v.total.SourceMarks == 0:
			return fmt.Sprintf("no packet arrived marked or was lost, of %d", packets[g].Arrived)
		}
		return ""
	})
}

// actedBalancers reports balancers that had only one path, and balancers that never
// reacted.
func (v *review) actedBalancers() {
	onePath := !v.layered() && !v.routes.policy.Wanders() && singlePath(v.graph, v.tables)
	v.byGroup("balancer", balancerKind, func(g int) string {
		b := &v.groups[g].Balancer
		switch {
		case v.did[g].Started == 0:
			return ""
		case onePath && b.Subflows <= 1:
			return "there is one path between any two hosts"
		case b.Reaction != "" && len(b.ReactsBy) == 0 && !v.did[g].Reacted:
			return "no connection " + b.Reaction
		}
		return ""
	})
	for g := range v.groups {
		// All options that share a missing reaction share one line.
		for _, o := range v.groups[g].Balancer.ReactsBy {
			lines := len(v.idle)
			v.byGroup("balancer."+o, balancerKind, func(i int) string {
				b := &v.groups[i].Balancer
				if v.did[i].Started > 0 && b.Reaction != "" && slices.Contains(b.ReactsBy, o) && !v.did[i].Reacted {
					return "no connection " + b.Reaction
				}
				return ""
			})
			if len(v.idle) > lines {
				return
			}
		}
	}
}

func balancerKind(t *Transport) string { return t.Balancer.Kind }

// actedRecoveries reports loss recovery that lost packets never triggered, and limits that
// held nothing back.
func (v *review) actedRecoveries() {
	connections := func(g int) bool { return v.did[g].Started > 0 && v.groups[g].Congestion.NewHost == nil }
	v.byGroup("rto", noEntry, func(g int) string {
		if connections(g) && v.total.Timeouts == 0 {
			return "no packet timed out"
		}
		return ""
	})
	v.byGroup("recovery", func(t *Transport) string { return t.Recovery.kind() }, func(g int) string {
		if connections(g) && v.total.Retransmits == 0 && v.groups[g].Recovery.Kind != transport.IRN { // irn also limits what is in flight
			return "no packet was sent again"
		}
		return ""
	})
	v.byGroup("reorder_limit", noEntry, func(g int) string {
		if connections(g) && !v.did[g].ReorderLimit {
			return "no connection reached it"
		}
		return ""
	})
	v.byGroup("nagle", noEntry, func(g int) string {
		if connections(g) && v.groups[g].Nagle && !v.did[g].Nagle {
			return "no last packet of a message had to wait"
		}
		return ""
	})
}
