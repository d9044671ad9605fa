package sird

import (
	"testing"

	"weft/protocol"
	"weft/protocol/hosttest"
	"weft/unit"
)

// TestNothingAllocated passes packets of long messages between two hosts.
func TestNothingAllocated(t *testing.T) {
	for _, preset := range []string{Paper, NSDI25} {
		o := testOptions()
		o.Preset = preset
		env := testEnv(2)
		env.Echo = ^protocol.GroupSet(0)
		t.Run(preset, func(t *testing.T) {
			every := func(*protocol.Packet) bool { return true }
			hosttest.CheckAllocations(t, 150*unit.Nanosecond, 10000, every, func(i int32, out *protocol.HostOutput) protocol.HostTransport {
				env.Host, env.Out = i, out
				return newHost(newConfig(o, env), env)
			})
		})
	}
}
