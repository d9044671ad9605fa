package traffic

import (
	"io"

	"weft/trace"
	"weft/trace/timeline"
	"weft/trace/timeline/perfetto"
	"weft/unit"
)

// Step is a piece of the critical path of a trace in a run.
type Step struct {
	Begin, End unit.Time
	Class      timeline.Class
	// Rank and Operation are what took the time, in the words of GOAL, and Call is the collective that
	// it belongs to, with its process group; "" if there is none.
	Rank      int32
	Operation string
	Call      string
	// To is the rank that waited for a message, -1 in other steps, and Size the message's.
	To   int32
	Size unit.Bytes
	// Host is the place of the rank's host, and Receiver that of the host of To.
	Host, Receiver int32
	// Ordinal names the message of a step in the network: how many messages of the group Host had started before.
	InNetwork bool
	Ordinal   uint64
}

// CriticalPath returns the steps that decided when the trace ended, from its start to its end.
func (r *replayed) CriticalPath() []Step {
	path := timeline.Critical(r.trace, r.log)
	steps := make([]Step, 0, len(path))
	ordinals := map[int32]map[uint32]uint64{}
	for _, s := range path {
		rank := s.Op.Rank
		o := r.trace.Ranks[rank].At(s.Op.Op)
		step := Step{
			Begin: s.Begin - r.start, End: s.End - r.start, Class: s.Class, Rank: rank, Host: r.host[rank],
			Operation: r.trace.Ranks[rank].Describe(s.Op.Op), Call: r.callOf(s.Op), To: -1, Receiver: -1,
		}
		if s.Class == timeline.Transfer && o.Kind == trace.Send {
			step.To, step.Size, step.Receiver = o.Peer, unit.Bytes(o.Size), r.host[o.Peer]
			if step.InNetwork = !r.inner(rank, o.Peer); step.InNetwork {
				step.Host, step.Receiver = r.port(rank, o.NIC), r.port(o.Peer, o.NIC)
				step.Ordinal = r.ordinals(step.Host, ordinals)[r.first[rank]+s.Op.Op]
			}
		}
		steps = append(steps, step)
	}
	return steps
}

// ordinals returns the ordinal of each message of a host that has started, by the number of its operation.
func (r *replayed) ordinals(host int32, known map[int32]map[uint32]uint64) map[uint32]uint64 {
	m := known[host]
	if m == nil {
		m = map[uint32]uint64{}
		for i, number := range r.started[host][:r.hosts[host].count] {
			m[number] = uint64(i)
		}
		known[host] = m
	}
	return m
}

// callOf returns the collective that an operation belongs to.
func (r *replayed) callOf(op timeline.Ref) string {
	call, ok := r.trace.Ranks[op.Rank].CallOf(op.Op)
	if !ok {
		return ""
	}
	c := r.trace.Calls[call]
	if c.Group == "" {
		return c.Name
	}
	return c.Name + " of " + c.Group
}

// Perfetto writes what the ranks did as a file for ui.perfetto.dev, with each operation if there are not too many. Times
// count from the start of the job.
func (r *replayed) Perfetto(w io.Writer) error {
	o := perfetto.Fitting(r.trace)
	o.Start = r.start
	_, err := perfetto.Write(w, r.trace, r.log, o)
	return err
}

// Group returns the group of traffic.
func (r *replayed) Group() string { return r.group }

// Started returns when the job starts.
func (r *replayed) Started() unit.Time { return r.start }
