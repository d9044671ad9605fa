package fabric_test

import (
	"slices"
	"testing"

	"weft/fabric"
	"weft/fault"
	"weft/sim"
	"weft/topo"
	"weft/unit"
)

// TestDraws sends the same frames to two equal ports of a switch and compares
// what chance does to them: it must depend on the port and the seed, and on
// nothing else.
func TestDraws(t *testing.T) {
	const total = 400
	tests := []struct {
		name   string
		config fabric.PortConfig
		loss   unit.Ratio
		what   func(d *delivery) bool
	}{
		{"loss", fabric.PortConfig{Limit: unit.GiB}, 0.5, func(d *delivery) bool { return d != nil }},
		{
			"RED",
			fabric.PortConfig{Limit: unit.GiB, ECN: true, KMin: 0, KMax: total * 500, PMax: 1}, 0,
			func(d *delivery) bool { return d.Marked },
		},
		{
			"RED at dequeue",
			fabric.PortConfig{Limit: unit.GiB, ECN: true, KMin: 0, KMax: total * 500, PMax: 1, MarkAtDequeue: true}, 0,
			func(d *delivery) bool { return d.Marked },
		},
		{
			"coin",
			fabric.PortConfig{Classes: 2, Limit: 3000, Trim: &fabric.TrimConfig{Header: 64, Limit: unit.MiB, Coin: true}}, 0,
			func(d *delivery) bool { return d.Trimmed },
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			run := func(seed uint64, lone bool) (outcomes [2][]bool) {
				g := slowStar(4)
				g.Links[2].Rate, g.Links[3].Rate = 4*unit.Gbps, 4*unit.Gbps
				s := setup{Graph: g, Seed: seed, Port: func(topo.PortID) fabric.PortConfig { return test.config }}
				for i := range total {
					s.Sends = append(s.Sends, send{Src: 0, Dst: 2, ID: uint32(i), Size: 1000, Class: 1})
					if !lone {
						s.Sends = append(s.Sends, send{Src: 1, Dst: 3, ID: uint32(i), Size: 1000, Class: 1})
					}
				}
				n := s.build(t)
				for _, to := range []string{"host2", "host3"} {
					n.Apply(0, fault.Change{Port: n.port(t, "tor0", to), What: fault.SetLoss, Loss: test.loss})
				}
				n.drain(t)
				for k := range outcomes {
					byID := make([]*delivery, total)
					for i, d := range n.logs[2+k] {
						byID[d.ID] = &n.logs[2+k][i]
					}
					if len(n.logs[2+k]) == 0 {
						continue
					}
					for _, d := range byID {
						outcomes[k] = append(outcomes[k], test.what(d))
					}
				}
				return outcomes
			}
			first := run(1, false)
			for k, o := range first {
				if yes := count(o); yes < total/10 || yes > total*9/10 {
					t.Fatalf("port %d: %d of %d, which leaves little to chance", k, yes, total)
				}
			}
			if slices.Equal(first[0], first[1]) {
				t.Error("two ports draw the same")
			}
			if second := run(2, false); slices.Equal(first[0], second[0]) {
				t.Error("seeds 1 and 2 draw the same")
			}
			if alone := run(1, true); !slices.Equal(first[0], alone[0]) {
				t.Error("what one port draws depends on the traffic of the other")
			}
		})
	}
}

func count(of []bool) (n int) {
	for _, b := range of {
		if b {
			n++
		}
	}
	return n
}

// TestTies has frames of eight hosts reach a port at one instant, again and again
// under different seeds: none wins too often.
func TestTies(t *testing.T) {
	const hosts, rounds = 8, 800
	first := make([]float64, hosts)
	for seed := range uint64(rounds) {
		s := setup{Graph: funnel(hosts, unit.Gbps, 1000, 0), Seed: seed}
		for i := range int32(hosts) {
			s.Sends = append(s.Sends, send{At: sim.Time(5), Src: i, Dst: hosts, ID: uint32(i), Size: 100})
		}
		n := s.build(t)
		n.drain(t)
		first[n.logs[hosts][0].ID]++
	}
	if x := chiSquare(first); x > unlikely {
		t.Errorf("the hosts won %v times, %.1f standard deviations from equal chances", first, x)
	}
}
