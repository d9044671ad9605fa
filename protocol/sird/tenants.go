package sird

import "weft/unit"

// This file is policy: classes. Tenants are the groups of traffic, and a receiver shares its
// credit among them by weight, of which the paper names the possibility only (§4.4). It is
// start-time fair queueing (Goyal, Vin, Cheng, SIGCOMM 1996) with credits in place of packets:
// each credit begins in virtual time where the one before it of the same tenant ends, the
// one that begins first goes next, and virtual time is where the one that was sent last begins.
//
// No credit begins before that. So a tenant that had nothing to be granted, or whose senders'
// buckets were full, has nothing saved up that others would have to wait for; and one that
// was alone before owes nothing to those that come. The price is that a tenant does not
// catch up either if its credits did not fit B for a moment and smaller ones did.

// tenants is what a receiver knows of its tenants.
type tenants struct {
	// spent is where in virtual time the last credit of each tenant ends: what it was
	// granted over its weight, and what of virtual time it let pass.
	spent [mostClasses]uint64
	// passed is the present virtual time.
	passed uint64
}

// weightShift keeps the precision of credit over weight.
const weightShift = 10

// begins returns where in virtual time a tenant's next credit begins.
func (t *tenants) begins(group uint8) uint64 { return max(t.spent[group], t.passed) }

// spend notes that a credit goes to a tenant.
func (t *tenants) spend(group uint8, credit unit.Bytes, weight uint64) {
	t.passed = t.begins(group)
	t.spent[group] = t.passed + uint64(credit)<<weightShift/weight
}
