package sird

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"weft/protocol"
	"weft/unit"
)

// TestPacerKeepsItsRate lets one host receive from four that always have something to
// send, while its own uplink carries data: credit goes at the pacer's rate all the same,
// since what a credit waits for the wire does not slow the next ones down.
func TestPacerKeepsItsRate(t *testing.T) {
	const (
		line = 100 * unit.Gbps
		from = 100 * unit.Microsecond // the begin does not count
		to   = 600 * unit.Microsecond
	)
	for preset, pace := range map[string]float64{Paper: 0.99, NSDI25: 1} {
		for _, load := range []float64{0, 0.1, 0.5, 0.9} {
			t.Run(fmt.Sprintf("%s, uplink at %v", preset, load), func(t *testing.T) {
				o := testOptions()
				o.Preset, o.Confirm, o.SThr = preset, false, unit.Threshold{Inf: true}
				l := newNet(t, o, 7, testEnv(7))
				var credit, data unit.Bytes
				l.Arrived = func(to int32, p *protocol.Packet) {
					switch {
					case l.Now < from:
					case p.Kind == kindCredit && p.Peer == 0:
						credit += p.Amount
					case p.Kind == kindData && to == 6:
						data += p.Wire
					}
				}
				for peer := int32(1); peer < 5; peer++ {
					l.Send(peer, 0, 50*unit.MB, 0)
				}
				random := rand.New(rand.NewPCG(1, 2))
				for l.Now < to {
					if load == 0 {
						l.Run(to)
						break
					}
					l.Run(l.Now + unit.Time(random.ExpFloat64()*float64(line.Transmit(1538))/load))
					l.Send(0, 6, 1458, 0)
				}
				share := func(n unit.Bytes) float64 { return float64(n.Over(l.Now-from)) / float64(line) }
				if got := share(credit); got < pace-0.005 || got > pace+0.001 {
					t.Errorf("credit at %.4f of the line rate, want %v", got, pace)
				}
				if got := share(data); got < 0.9*load {
					t.Errorf("the uplink carried %.3f, meant was %v", got, load)
				}
			})
		}
	}
}
