package scenario

import (
	"fmt"

	"weft/internal/readable"
	"weft/record"
)

// checkRules returns an error if a host transport or a congestion control broke a rule. The run
// then ends without a result.
func (r *run) checkRules() error {
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

// checkSchedulers returns an error if a scheduler of ports broke a rule.
func (r *run) checkSchedulers() error {
	if n := r.Network.Acted().Misscheduled; n > 0 {
		return fmt.Errorf("the scheduler of ports broke a rule of protocol.Scheduler: Next returned %s a class that is not in Ready.Open", readable.Count(int(n), "time"))
	}
	return nil
}
