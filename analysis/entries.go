package analysis

import (
	"context"
	"fmt"

	"weft/catalog"
	"weft/unit"
)

// Entries returns all models as catalog entries. The tags of their options tell readers of files
// how to decode them.
func Entries() []catalog.Entry[Calculation] {
	return []catalog.Entry[Calculation]{
		catalog.Define("balls-into-bins",
			"loads of output ports when a batch of packets per round is thrown or recycled",
			"ARCANE §5.1, Figures 13, 14, 17", BallsIntoBins.build),
		catalog.Define("theorem",
			"threshold and buffer that recycled balls need to converge",
			"ARCANE Theorem 5.1", Theorem.build),
		catalog.Define("coupons",
			"random packets until every port has one: the convergence proof's first phase",
			"ARCANE Appendix C", Coupons.build),
		catalog.Define("imbalance",
			"how unevenly a hash spreads the entropy values of some flows over uplinks",
			"ARCANE Appendix B, Figure 16", Imbalance.build),
		catalog.Define("spray-bound",
			"shortest runtime of a permutation sprayed with few entropy values, by hashing",
			"ARCANE §4.5.2, Figure 12; Appendix B", SprayBound.build),
		catalog.Define("capacity",
			"shortest completion time over slow uplinks, sprayed evenly or adaptively",
			"ARCANE §4.3.2, Figure 3", Capacity.build),
		catalog.Define("loss",
			"packets lost while a link is down, with and without freezing mode",
			"ARCANE §3.2", Loss.build),
		catalog.Define("memory",
			"state of load balancers per connection",
			"ARCANE Table 1, §1, §3.3", Memory.build),
		catalog.Define("acks",
			"traffic added by acknowledgements",
			"ARCANE §4.5.1", Acks.build),
		catalog.Define("credit",
			"credit that a receiver needs to saturate its downlink beside congested senders",
			"SIRD §4.2, Equations 1 to 3", Credit.build),
		catalog.Define("outcast",
			"where credit sits when receivers share a sender, with and without its marks",
			"SIRD §6.1.2, Figure 4", Outcast.build),
		catalog.Define("switch-buffers",
			"packet buffers of published switches, scaled to a given rate",
			"SIRD §2.2, Figure 1, Table 3", SwitchBuffers.build),
		catalog.Define("message-sizes",
			"shares of messages, and of all bytes, in messages up to a size",
			"SIRD §6.2, Figure 7", MessageSizes.build),
	}
}

// instant returns a calculation for a computation that takes no noticeable time.
func instant(compute func() (*Result, error)) (Calculation, error) {
	return func(context.Context, func(float64)) (*Result, error) { return compute() }, nil
}

// steps reports progress of work in equal parts.
type steps struct {
	done, of int
	report   func(share float64)
}

func (s *steps) next() {
	s.done++
	if s.report != nil {
		s.report(float64(s.done) / float64(s.of))
	}
}

// within requires at least one value, and each from least to most. For values that are not lists,
// tags give the bounds.
func within[T int | unit.Bytes](name string, values []T, least, most T) error {
	if len(values) == 0 {
		return fmt.Errorf("the list %s is empty; give at least one value", name)
	}
	for _, v := range values {
		if v < least || v > most {
			return fmt.Errorf("%s: %v is out of bounds; use %v to %v", name, v, least, most)
		}
	}
	return nil
}
