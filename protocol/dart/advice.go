package dart

import (
	"weft/protocol"
	"weft/unit"
)

// note lists who of an incast is to be advised: senders that were counted by its first list and that no acknowledgement
// reaches, since none of their messages is under way.
func (r *receiver) note(k int32) {
	if !r.advertise {
		return
	}
	for _, i := range r.incasts.list[k].waits {
		if r.set.list[i].begun == 0 {
			r.unadvised = append(r.unadvised, i)
		}
	}
}

// Advise implements protocol.Advertiser.
func (r *receiver) Advise(_ unit.Time, a *protocol.Advice) bool {
	for len(r.unadvised) > 0 {
		last := len(r.unadvised) - 1
		i := r.unadvised[last]
		r.unadvised = r.unadvised[:last]
		s := &r.set.list[i]
		if r.state == elsewhere || s.expected == 0 || s.begun > 0 {
			continue
		}
		n := r.set.share(s.tenant)
		n.congested = r.state == receiverCongestion
		*a = protocol.Advice{Host: s.host, Answer: protocol.Answer{1: n.word()}}
		return true
	}
	return false
}
