package entropy

import (
	"weft/problem"
	"weft/protocol"
)

// MPTCP divides every message into subflows, which are sent side by side, each on a path
// of its own (ARCANE §4.1, "similarly to using multiple QPs"; after Wischik et al., NSDI
// 2011, and Raiciu et al., SIGCOMM 2011). The packets of a message are split evenly when it
// starts and stay with their subflow. Each subflow has a random entropy, a congestion
// window, acknowledgements and a retransmission timer of its own.
//
// Over layers of routes subflows may collide in a layer, unless they are Apart. FatPaths (SC 2020, §VIII-A2) has MPTCP
// over layers, and does not say how subflows take them: Apart is weft's choice.
//
// Departures from MPTCP: windows are not coupled (RFC 6356), as those of queue pairs are
// not; data does not move from a slow subflow to a fast one; there is one sequence space
// for each subflow, and none for the message.
//
// The authors' simulator (REPS artefact) divides nothing: it sends the packets of one
// connection, with one window, in turn with eight entropies. That is
//
//	{kind: round-robin, entropies: 8}
//
// State: 368 B for 8 subflows beside that of one connection, which ARCANE §1 quotes of
// MP-RDMA's paper (NSDI 2018), is taken for 46 B a subflow.
type MPTCP struct {
	Subflows  int  `yaml:"subflows" default:"8" min:"2" max:"16" doc:"Subflows per message; fewer if it has fewer packets." source:"ARCANE §4.1"`
	Apart     bool `yaml:"apart" default:"false" doc:"Whether the subflows of a message take different layers of routing.policy: layers, one after another from a random one, as far as there are enough." source:"weft; FatPaths §VIII-A2 has MPTCP over layers, without saying which"`
	DivideBDP bool `yaml:"divide_bdp" default:"false" doc:"Whether the congestion control of each subflow uses its share of the bandwidth-delay product, so that all windows together begin and end like that of one connection." source:"weft"`
}

// subflowBits is the state of one subflow.
const subflowBits = 46 * 8

// Build returns the balancer. It fails if there are too few or too many subflows.
func (o MPTCP) Build() (protocol.Balancer, error) {
	if o.Subflows < 2 || o.Subflows > protocol.MaxSubflows {
		return protocol.Balancer{}, problem.At("subflows", "mptcp: subflows is %d", o.Subflows).Mend("it must be 2 to %d", protocol.MaxSubflows)
	}
	b, err := ECMP{}.Build()
	b.Subflows, b.DivideBDP = o.Subflows, o.DivideBDP
	b.StateBits = o.Subflows * subflowBits
	if o.Apart {
		b.Routes, b.Fewer = o.Subflows, "cannot give each subflow a layer of its own (apart: true)"
		b.New = func(env protocol.Env) protocol.Entropy {
			return &perSubflow{perConnection{rand: env.Rand}, uint32(max(1, env.Layers))}
		}
	}
	return b, err
}

// perSubflow keeps the entropy that it drew at the start, which is of another layer than that of the subflows before.
type perSubflow struct {
	perConnection
	layers uint32
}

// SetPaths implements protocol.PathChooser: explicit paths are layers of the pair.
func (c *perSubflow) SetPaths(paths []protocol.Path) { c.layers = placesOf(paths) }

// SetSubflow implements protocol.Sibling.
func (c *perSubflow) SetSubflow(number int, shared uint64) {
	if c.layers > 1 {
		c.entropy = inLayer(c.rand, uint32((shared%uint64(c.layers)+uint64(number))%uint64(c.layers)), c.layers)
	}
}
