package scenario

import (
	"fmt"

	"weft/internal/readable"
	"weft/record"
)

// kept tells which rule a transport of hosts as a whole broke, or a congestion control, if any
// did: such a run ends, and has no result.
func (r *run) kept() error {
	b := r.Transport.Breach()
	if b == nil && r.Ended == record.Drained {
		b = r.Transport.Settled(r.Now)
	}
	if b == nil {
		return nil
	}
	host := ""
	if b.Host >= 0 {
		host = " of host " + r.hostName(b.Host)
	}
	who := "a congestion control"
	if b.Hosted {
		who = "transport " + r.grouped.hosted
	}
	return fmt.Errorf("%s%s broke a rule of %s at %v: %s", who, host, b.Promise, b.At, b.Rule)
}

// keptByPorts reports the rule that a scheduler of ports broke, if one did.
func (r *run) keptByPorts() error {
	if n := r.Network.Acted().Misscheduled; n > 0 {
		return fmt.Errorf("the scheduler of ports broke a rule of protocol.Scheduler: Next returned %s a class that is not in Ready.Open", readable.Count(int(n), "time"))
	}
	return nil
}
