package homa

import (
	"testing"

	"weft/protocol"
	"weft/protocol/hosttest"
	"weft/unit"
)

// FuzzStranger has a host that is let in say what it likes: no books break, and nothing of it is left once it is forgotten.
func FuzzStranger(f *testing.F) {
	for i, script := range hosttest.Scripts() {
		f.Add(uint8(i), script)
	}
	f.Fuzz(func(t *testing.T, variant uint8, script []byte) {
		o := testOptions([]string{Paper, SIRD}[variant%2])
		resend := 50 * unit.Microsecond
		o.Resend = &resend
		k := 1 + int(variant>>1%3)
		o.Overcommit, o.ShareLevels = &k, true
		o.Unscheduled = &unit.Amount{Bytes: []unit.Bytes{1, 5000, 100_000}[variant>>3%3]}
		env := testEnv(3)
		env.Largest, env.Echo = unit.MB, 1
		newNet(t, o, 3, env).Misuse(script, env.Payload)
	})
}

// TestAnnouncements: what another host says of its messages costs little.
func TestAnnouncements(t *testing.T) {
	env := testEnv(2)
	env.Largest, env.Out = unit.TiB, &protocol.HostOutput{}
	h := newHost(build(t, testOptions(Paper), env), env)
	hosttest.CheckAnnouncements(t, h, env.Largest, func(number uint32, size unit.Bytes) protocol.Packet {
		return protocol.Packet{
			Kind: kindUnscheduled, Peer: 1, Message: number, Tag: 1, Size: size, Amount: env.BDP, Payload: env.Payload, Wire: env.Packet,
		}
	})
}
