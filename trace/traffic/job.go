package traffic

import (
	"math/rand/v2"

	"weft/problem"
	"weft/trace"
	"weft/trace/replay"
	"weft/trace/timeline"
	"weft/unit"
	"weft/workload"
)

// job is a trace with its ranks at hosts. It does not change in a run.
type job struct {
	options
	trace *trace.Trace
	group string
	// ports are the hosts of each rank, one per NIC, and host is the first of them, whose source drives the rank.
	ports []int32
	host  []int32
	place []int32 // by rank: its place among the ranks of its host
	// ranks are, by host, those whose messages it carries.
	ranks [][]int32
	// first is the number of each rank's first operation among those of its host, so that a number tells rank
	// and operation at a host.
	first []uint32
	// sends are the messages that each host sends over the network, by the number of their operation.
	sends [][]uint32
	bytes unit.Bytes
	// arrivals is, by host, how many messages it receives for a rank that another host drives.
	arrivals []uint32
	// signals tells whether anything goes beside the network from one host to another.
	signals bool
}

// maxOperations is how many operations a host has at most, since a signal has 32 bits, and three of them are its kind.
const maxOperations = 1 << (32 - kindBits)

// newJob returns the job of a trace whose ranks have so many hosts each as they have NICs, one rank after another.
func newJob(o options, t *trace.Trace, ports []int32, s workload.Setting) (*job, error) {
	n := len(t.Ranks)
	j := &job{
		options: o, trace: t, group: s.Group, ports: ports, host: ports, arrivals: make([]uint32, s.Hosts),
		place: make([]int32, n), ranks: make([][]int32, s.Hosts), first: make([]uint32, n), sends: make([][]uint32, s.Hosts),
	}
	if o.nics() > 1 {
		j.host = firsts(ports, o.nics())
	}
	total := make([]int, s.Hosts)
	for r, h := range j.host {
		j.place[r] = int32(len(j.ranks[h]))
		for _, port := range ports[r*o.nics() : (r+1)*o.nics()] {
			j.ranks[port] = append(j.ranks[port], int32(r))
		}
		j.first[r] = uint32(total[h])
		if total[h] += t.Ranks[r].Len(); total[h] > maxOperations {
			return nil, problem.At("file", "file: %s has more than %d operations at %s", o.File, maxOperations, s.HostName(h)).Mend("place fewer ranks on a host, or cut the trace")
		}
	}
	for r := range j.host {
		if err := j.addSends(int32(r), s.Most); err != nil {
			return nil, err
		}
	}
	return j, nil
}

// addSends notes what a rank sends over the network. Most is the largest message that it carries, 0 without a limit.
func (j *job) addSends(r int32, most unit.Bytes) error {
	sched := &j.trace.Ranks[r]
	for i := range uint32(sched.Len()) {
		op := sched.At(i)
		if op.Kind != trace.Send {
			continue
		}
		if j.inner(r, op.Peer) {
			j.signals = j.signals || j.host[op.Peer] != j.host[r]
			continue
		}
		size := carried(op.Size)
		if most > 0 && size > most {
			return problem.At("file", "file: %s: rank %d, %s is too large", j.File, r, sched.Describe(i)).Mend("with the payload of its packets a message has at most %v", most)
		}
		from, to := j.port(r, op.NIC), j.port(op.Peer, op.NIC)
		j.sends[from] = append(j.sends[from], j.first[r]+i)
		j.bytes += size
		if to != j.host[op.Peer] {
			j.arrivals[to]++
		}
		j.signals = j.signals || j.waits(op.Size) || from != j.host[r]
	}
	return nil
}

// carried returns the bytes of a message in the network, which carries none without any.
func carried(size int64) unit.Bytes { return unit.Bytes(max(size, 1)) }

// inner tells whether messages between two ranks take inner links.
func (j *job) inner(a, b int32) bool {
	return j.host[a] == j.host[b] || int(a)/j.RanksPerNode == int(b)/j.RanksPerNode
}

// waits tells whether a message of the network waits until its receive is posted.
func (j *job) waits(size int64) bool { return j.Rendezvous != nil && size > int64(*j.Rendezvous) }

// at returns the rank and the operation of a number at a host, and ref both as one.
func (j *job) at(host int32, number uint32) (rank int32, op uint32) {
	list := j.ranks[host]
	i := len(list) - 1
	for ; j.first[list[i]] > number; i-- {
	}
	return list[i], number - j.first[list[i]]
}

func (j *job) ref(host int32, number uint32) timeline.Ref {
	rank, op := j.at(host, number)
	return timeline.Ref{Rank: rank, Op: op}
}

// Fan implements workload.Destinations.
func (j *job) Fan(host int32) int { return len(j.sends[host]) }

// Destination implements workload.Destinations.
func (j *job) Destination(host int32, n int64, _ *rand.PCG) int32 {
	sends := j.sends[host]
	rank, op := j.at(host, sends[n%int64(len(sends))])
	o := j.trace.Ranks[rank].At(op)
	return j.port(o.Peer, o.NIC)
}

// Total implements workload.Schedule.
func (j *job) Total(workload.Traffic) (messages int64, size unit.Bytes, err error) {
	for _, list := range j.sends {
		messages += int64(len(list))
	}
	return messages, j.bytes, nil
}

// Sources implements workload.Schedule.
func (j *job) Sources(t workload.Traffic, s workload.Setting) ([]workload.Source, error) {
	r := &replayed{
		job: j, start: t.Start, log: timeline.New(j.trace), cores: replay.New(j.trace),
		started: make([][]uint32, s.Hosts), reported: make([][]timeline.Ref, s.Hosts), hosts: make([]*host, s.Hosts),
	}
	if j.Rendezvous != nil {
		r.log.Waits = func(send timeline.Ref) timeline.Wait {
			if o := j.trace.Ranks[send.Rank].At(send.Op); !j.inner(send.Rank, o.Peer) && j.waits(o.Size) {
				return timeline.Held
			}
			return timeline.Eager
		}
	}
	list := make([]workload.Source, s.Hosts)
	for h, ranks := range j.ranks {
		if len(ranks) == 0 {
			continue
		}
		r.started[h] = make([]uint32, len(j.sends[h]))
		r.reported[h] = make([]timeline.Ref, j.arrivals[h])
		r.hosts[h] = newHost(r, int32(h))
		if j.signals {
			list[h] = &signalling{r.hosts[h]}
		} else {
			list[h] = r.hosts[h]
		}
	}
	return list, nil
}

// replayed is a job in a run.
type replayed struct {
	*job
	start unit.Time
	// log is written by each rank's host. Another host reads of it when a message or a signal has come, after
	// the writer wrote what it reads.
	log *timeline.Log
	// started is the messages that each host has started in the network, by ordinal. A host writes its own, and
	// another reads an entry when it has received that message.
	started [][]uint32
	cores   []*replay.Rank // by rank
	// reported is the messages that each host has received for a rank that another host drives. A host writes its
	// own, and the other one reads an entry when the signal of that message has come.
	reported [][]timeline.Ref
	hosts    []*host
}
