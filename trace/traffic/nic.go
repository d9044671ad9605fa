package traffic

import (
	"fmt"

	"weft/problem"
	"weft/trace"
	"weft/trace/timeline"
)

// A rank with several NICs is a node with a host per NIC. The host of its first NIC drives the rank. It signals
// to the others which messages may leave, and they signal to it which have come. These signals take no time, because
// the hosts are a machine (workload.Neighbour): the engine keeps them in one domain.
//
// A message leaves from the host of its send's NIC and goes to the host of the same NIC at the receiver. The NIC of
// the receive has no effect. ATLAHS does the same: in spcl/atlahs at 8837294abf6257fb9763ec787de322e4ee7f00e9,
// sim/htsim-backend/sim/datacenter/atlahs_htsim_api.cpp maps both ends by the NIC of the send, as rank times
// the number of NICs plus NIC.

// nics returns how many hosts a rank has.
func (o options) nics() int {
	if o.NICs == nil {
		return 1
	}
	return *o.NICs
}

// port returns the host of a NIC of a rank. A rank with one host has all NICs there.
func (j *job) port(rank int32, nic uint16) int32 {
	n := j.nics()
	if n == 1 {
		return j.ports[rank]
	}
	return j.ports[int(rank)*n+int(nic)]
}

// firsts returns the first of each n hosts.
func firsts(hosts []int32, n int) []int32 {
	list := make([]int32, len(hosts)/n)
	for i := range list {
		list[i] = hosts[i*n]
	}
	return list
}

// drives tells whether the host drives a rank.
func (h *host) drives(rank int32) bool { return h.host[rank] == h.id }

// report tells the host that drives a rank of a message that has come for it.
func (h *host) report(rank int32, send timeline.Ref) {
	h.reported[h.id][h.told] = send
	h.signal(h.host[rank], came, uint32(h.told))
	h.told++
}

// checkNICs refuses NICs without a host, and gives a notice where the number of hosts may not be what the trace means.
func (o options) checkNICs(t *trace.Trace, notice func(string)) error {
	first, most, sends := timeline.Ref{Rank: -1}, 0, 0
	n := o.nics()
	for r := range t.Ranks {
		s := &t.Ranks[r]
		for i := range uint32(s.Len()) {
			op := s.At(i)
			if op.Kind == trace.Calc {
				continue
			}
			most = max(most, int(op.NIC))
			if op.Kind == trace.Send {
				sends = max(sends, int(op.NIC))
			}
			if int(op.NIC) >= n && first.Rank < 0 {
				first = timeline.Ref{Rank: int32(r), Op: i}
			}
		}
	}
	switch {
	case n > 1 && most >= n:
		return problem.At("nics", "nics: %d, but in %s rank %d, %s names NIC %d", n, o.File, first.Rank,
			t.Ranks[first.Rank].Describe(first.Op), t.Ranks[first.Rank].At(first.Op).NIC).
			Mend("use nics: %d, as many as the trace names, or nics: 1 if each rank has one link", most+1)
	case notice == nil:
	case o.NICs == nil && sends > 0:
		notice(fmt.Sprintf("%s: sends name NICs 0 to %d, and all of a rank leave over its host's one link. In older traces of ATLAHS a rank is a node with a host for each NIC: use nics: %d for such a trace, and nics: 1 if one link is right", o.File, sends, most+1))
	case n > sends+1:
		notice(fmt.Sprintf("%s: each rank has %d hosts by nics, but sends name no NIC above %d; the other hosts carry no messages", o.File, n, sends))
	}
	return nil
}
