package traffic

import (
	"fmt"
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
	host  []int32 // by rank
	place []int32 // by rank: its place among the ranks of its host
	ranks [][]int32
	// first is the number of each rank's first operation among those of its host, so that a number tells rank
	// and operation at a host.
	first []uint32
	// sends are the messages that each host sends over the network, by the number of their operation, and
	// after a run begins in the order in which they started.
	sends [][]uint32
	bytes unit.Bytes
	// signals tells whether anything goes beside the network from one host to another.
	signals bool
}

// maxOperations is how many operations a host has at most, since a signal has 32 bits, and two of them are its kind.
const maxOperations = 1 << 30

func newJob(o options, t *trace.Trace, hosts []int32, s workload.Setting) (*job, error) {
	j := &job{
		options: o, trace: t, group: s.Group, host: hosts,
		place: make([]int32, len(hosts)), ranks: make([][]int32, s.Hosts), first: make([]uint32, len(hosts)), sends: make([][]uint32, s.Hosts),
	}
	total := make([]int, s.Hosts)
	for r, h := range hosts {
		j.place[r] = int32(len(j.ranks[h]))
		j.ranks[h] = append(j.ranks[h], int32(r))
		j.first[r] = uint32(total[h])
		if total[h] += t.Ranks[r].Len(); total[h] > maxOperations {
			return nil, problem.At("file", "file: %s has more than %d operations at %s", o.File, maxOperations, s.HostName(h)).Mend("place fewer ranks on a host, or cut the trace")
		}
	}
	nics := uint16(0)
	for r, h := range hosts {
		sched := &t.Ranks[r]
		for i := range uint32(sched.Len()) {
			op := sched.At(i)
			if op.Kind != trace.Send {
				continue
			}
			nics = max(nics, op.NIC)
			inner := j.inner(int32(r), op.Peer)
			if inner && hosts[op.Peer] != h || !inner && j.waits(op.Size) {
				j.signals = true
			}
			if inner {
				continue
			}
			size := carried(op.Size)
			if s.Most > 0 && size > s.Most {
				return nil, problem.At("file", "file: %s: rank %d, %s is too large", o.File, r, sched.Describe(i)).Mend("with the payload of its packets a message has at most %v", s.Most)
			}
			j.sends[h] = append(j.sends[h], j.first[r]+i)
			j.bytes += size
		}
	}
	if nics > 0 && s.Notice != nil {
		s.Notice(fmt.Sprintf("%s: sends name NICs 0 to %d, and all of a rank leave over its host's one link; in older traces of ATLAHS a rank is a node with a host for each NIC", o.File, nics))
	}
	return j, nil
}

// carried returns the bytes of a message in the network, which carries none without any.
func carried(size int64) unit.Bytes { return unit.Bytes(max(size, 1)) }

// inner tells whether messages between two ranks take inner links.
func (j *job) inner(a, b int32) bool {
	return j.host[a] == j.host[b] || int(a)/j.RanksPerNode == int(b)/j.RanksPerNode
}

// waits tells whether a message of the network waits until its receive is posted.
func (j *job) waits(size int64) bool { return j.Rendezvous != nil && size > int64(*j.Rendezvous) }

// at returns the rank and the operation of a number at a host.
func (j *job) at(host int32, number uint32) (rank int32, op uint32) {
	list := j.ranks[host]
	i := len(list) - 1
	for ; j.first[list[i]] > number; i-- {
	}
	return list[i], number - j.first[list[i]]
}

// Fan implements workload.Destinations.
func (j *job) Fan(host int32) int { return len(j.sends[host]) }

// Destination implements workload.Destinations.
func (j *job) Destination(host int32, n int64, _ *rand.PCG) int32 {
	sends := j.sends[host]
	rank, op := j.at(host, sends[n%int64(len(sends))])
	return j.host[j.trace.Ranks[rank].At(op).Peer]
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
	r := &replayed{job: j, start: t.Start, log: timeline.New(j.trace), cores: replay.New(j.trace), started: make([][]uint32, s.Hosts), hosts: make([]*host, s.Hosts)}
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
	hosts   []*host
}
