package transport

import (
	"testing"

	"weft/fabric"
	"weft/protocol"
	"weft/sim"
	"weft/unit"
)

// TestRunsHaveOneEntropy: of a connection's data packets, as of those of a transport of hosts, as many in a row have one entropy as
// the balancer says, and then another. Whoever was idle begins a new run.
func TestRunsHaveOneEntropy(t *testing.T) {
	const packets = 100 // of each of two messages
	connections := params(1000 * payload)
	connections.PerPair = true
	for name, p := range map[string]Params{
		"connections": connections,
		"hosts":       hostedParams(func(env protocol.HostEnv) protocol.HostTransport { return newBlast(env) }),
	} {
		for _, run := range []int{0, 1, 8, 32} {
			turn(&p, 60000)
			p.Balancer.Run = run
			second := message1(packets * payload)
			second.At = 10 * unit.Millisecond
			c := labConfig{Graph: star(t, 2), Groups: []Group{{Params: p, Sources: from(0, 2, message1(packets*payload), second)}}}
			var got []uint16
			c.sent = func(_ sim.Time, host int32, f *fabric.Frame) {
				if host == 0 && f.Size > ackSize {
					got = append(got, f.Entropy)
				}
			}
			c.build(t).finish(t)
			if len(got) != 2*packets {
				t.Fatalf("%s, run of %d: %d packets", name, run, len(got))
			}
			length := max(1, run)
			each := (packets + length - 1) / length // runs of a message
			for i, e := range got {
				if want := uint16(1 + i/packets*each + i%packets/length); e != want {
					t.Fatalf("%s, run of %d: packet %d has entropy %d, want %d", name, run, i, e, want)
				}
			}
		}
	}
}
