package sird

import (
	"testing"

	"weft/protocol"
	"weft/unit"
)

// TestNothingAllocated passes packets of long messages between two hosts.
func TestNothingAllocated(t *testing.T) {
	for _, preset := range []string{Paper, NSDI25} {
		o := testOptions()
		o.Preset = preset
		env := testEnv(2)
		env.Echo = true
		var hosts [2]*host
		var outs [2]protocol.HostOutput
		for i := range hosts {
			env.Host, env.Out = int32(i), &outs[i]
			hosts[i] = newHost(newConfig(o, env), env)
		}
		hosts[0].Submit(0, &protocol.HostMessage{Peer: 1, Bytes: 100 * unit.MB})
		hosts[1].Submit(0, &protocol.HostMessage{Peer: 0, Bytes: 100 * unit.MB})
		now, moved := unit.Time(0), 0
		var p protocol.Packet
		step := func() {
			for i, h := range hosts {
				p = protocol.Packet{}
				if h.Next(now, &p) {
					moved++
					p.Peer = int32(i)
					hosts[1-i].Receive(now, &p)
				}
			}
			now += 150 * unit.Nanosecond
		}
		for range 500 {
			step()
		}
		if n := testing.AllocsPerRun(5000, step); n != 0 {
			t.Errorf("%s: %v allocations a step", preset, n)
		}
		if moved < 5000 {
			t.Errorf("%s: only %d packets moved", preset, moved)
		}
	}
}
