package traffic

import (
	"fmt"

	"weft/catalog"
	"weft/problem"
	"weft/trace"
	"weft/trace/collective"
	"weft/trace/open"
	"weft/unit"
	"weft/workload"
)

// Patterns returns the pattern that this package adds to those of package workload.
func Patterns() []catalog.Entry[workload.Pattern] {
	return []catalog.Entry[workload.Pattern]{
		catalog.Define("trace",
			"hosts replay the trace of an application: sends, receives, computations and what waits for what",
			"Hoefler et al., ICPP 2009 (GOAL); LogGOPSim, HPDC 2010", func(o options) (workload.Pattern, error) { return o, nil }).Alias("goal", "replay"),
	}
}

// options lets hosts replay a trace. Its times count from the start of the group of traffic, so that several
// groups are several jobs on one fabric.
type options struct {
	File         catalog.Path  `yaml:"file" doc:"Trace: GOAL, text or binary, a folder of Chakra or the prefix of its files, a layer file of SimAI, or a file of weft trace generate."`
	Ranks        order         `yaml:"ranks" default:"hosts" enum:"hosts,shuffled,interleaved,racks" doc:"Order in which nodes take ranks, with their hosts together: as listed, at random, one of each edge switch in turn, or edge switch by edge switch in random order."`
	Placement    catalog.Path  `yaml:"placement" default:"" doc:"File with the host of each rank instead: one name per line, from rank 0 on; with nics one per NIC, those of a rank one after another."`
	RanksPerHost int           `yaml:"ranks_per_host" default:"1" min:"1" max:"4096" doc:"How many ranks one host has, one after another."`
	NICs         *int          `yaml:"nics" min:"1" max:"16384" doc:"How many hosts one rank has, one after another. With 1, all messages of a rank leave over its one link, whatever NICs the trace names. With more, a rank is a node with a host per NIC, as in older traces of ATLAHS: a message goes from the host of its send's NIC to the host of the same NIC at the receiver. The first host stands for the rank in results (default: 1, with a notice if the trace names several NICs)." source:"ATLAHS (spcl/atlahs), htsim backend"`
	RanksPerNode int           `yaml:"ranks_per_node" default:"1" min:"1" max:"65536" doc:"How many ranks make a node, one after another. Messages within a node or host take inner links instead of the network."`
	InnerRate    unit.Rate     `yaml:"inner_rate" default:"3600Gbps" doc:"Rate of a rank's inner link, each way." source:"NVLink 4: 450 GB/s"`
	InnerLatency unit.Time     `yaml:"inner_latency" default:"1us" doc:"Latency of inner links. Between two hosts it is trigger_delay at least."`
	Collectives  []string      `yaml:"collectives" default:"[]" doc:"Algorithms of the collectives of a Chakra trace or a layer file, as in [all-reduce=ring, all-gather:64KiB=tree]. The first rule that fits holds; otherwise few steps for small buffers, and rings for large ones."`
	Reduction    *unit.Speed   `yaml:"reduction" min:"1bps" doc:"How fast a rank reduces what it received in a collective (default: that takes no time)."`
	Chakra       chakraOptions `yaml:"chakra" default:"{}" doc:"What the files of a Chakra trace leave open."`
	Rendezvous   *unit.Bytes   `yaml:"rendezvous" doc:"Messages larger than this wait until their receive is posted, and end at the sender when they are acknowledged (default: none; a send ends when it starts)."`
}

// Replays tells a run that there is a job to account for.
func (options) Replays() {}

// Lists implements workload.Ordered.
func (options) Lists() bool { return true }

// Resolve implements workload.Pattern.
func (o options) Resolve(s workload.Setting) (workload.Destinations, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	how, err := o.reading()
	if err != nil {
		return nil, err
	}
	t, _, err := open.Read(string(o.File), how)
	if err != nil {
		return nil, o.unread(err)
	}
	if err := complete(t, string(o.File)); err != nil {
		return nil, err
	}
	if s.Notice != nil {
		for _, text := range t.Notices {
			s.Notice(string(o.File) + ": " + text)
		}
	}
	if err := o.checkNICs(t, s.Notice); err != nil {
		return nil, err
	}
	if n := len(t.Ranks); n%o.RanksPerNode != 0 && s.Notice != nil {
		s.Notice(fmt.Sprintf("%s: nodes have %d ranks, but the last one has %d of the trace's %d", o.File, o.RanksPerNode, n%o.RanksPerNode, n))
	}
	hosts, err := o.place(len(t.Ranks), s)
	if err != nil {
		return nil, err
	}
	return newJob(o, t, hosts, s)
}

// reading returns what a trace does not say.
func (o options) reading() (how open.Options, err error) {
	o.Chakra.over(&how.Chakra)
	how.Chakra.Node = o.RanksPerNode
	if o.Reduction != nil {
		how.Chakra.Reduction = unit.Rate(*o.Reduction)
	}
	for i, text := range o.Collectives {
		rule, err := collective.ParseRule(text)
		if err != nil {
			return how, problem.At(fmt.Sprintf("collectives[%d]", i), "collectives: %w", err)
		}
		how.Chakra.Choice = append(how.Chakra.Choice, rule)
	}
	return how, nil
}

func (o options) check() error {
	switch {
	case o.File == "":
		return problem.At("file", "file: no trace is named").Mend("name one, as in file: app.goal")
	case o.RanksPerHost < 1:
		return problem.At("ranks_per_host", "ranks_per_host: %d is less than 1", o.RanksPerHost)
	case o.RanksPerNode < 1:
		return problem.At("ranks_per_node", "ranks_per_node: %d is less than 1", o.RanksPerNode)
	case o.nics() < 1 || o.nics() > trace.MaxNIC+1:
		return problem.At("nics", "nics: %d is not from 1 to %d", o.nics(), trace.MaxNIC+1)
	case o.nics() > 1 && o.RanksPerHost > 1:
		return problem.At("nics", "nics: with %d hosts for each rank, ranks cannot share a host", o.nics()).Mend("remove ranks_per_host, or nics")
	case o.nics() > 1 && o.RanksPerNode > 1:
		return problem.At("nics", "nics: with %d hosts a rank is a node itself, so that no node has several ranks", o.nics()).Mend("remove ranks_per_node, or nics")
	case o.InnerRate <= 0:
		return problem.At("inner_rate", "inner_rate: %v is not above 0", o.InnerRate)
	case o.InnerLatency < 0:
		return problem.At("inner_latency", "inner_latency: %v is negative", o.InnerLatency)
	case o.Rendezvous != nil && *o.Rendezvous < 0:
		return problem.At("rendezvous", "rendezvous: %v is negative", *o.Rendezvous)
	}
	return nil
}

// shown is how many faults of a trace an error shows.
const shown = 5

// complete refuses a trace that cannot come to its end.
func complete(t *trace.Trace, name string) error {
	faults := t.Check(shown)
	if faults.Total == 0 {
		if faults = t.Match(shown); faults.Total == 0 {
			return nil
		}
	}
	text := ""
	for _, f := range faults.List {
		text += "\n  " + f.String()
	}
	if more := faults.Total - len(faults.List); more > 0 {
		text += fmt.Sprintf("\n  and %d more", more)
	}
	return problem.At("file", "file: %s cannot be replayed to its end:%s", name, text).Mend("weft trace check lists all; traces that were cut lack the other side of messages").Inside(name)
}
