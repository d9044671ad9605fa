package dcpim

import (
	"math/rand/v2"
	"testing"

	"weft/protocol"
	"weft/protocol/hosttest"
	"weft/protocol/internal/tokens"
	"weft/unit"
)

// FuzzStranger has a host that is let in say what it likes: no books break, and nothing of it is left once it is forgotten.
func FuzzStranger(f *testing.F) {
	for i, script := range hosttest.Scripts() {
		f.Add(uint8(i), script)
	}
	f.Fuzz(func(t *testing.T, variant uint8, script []byte) {
		o := testOptions()
		o.Channels, o.Rounds = []int{1, 4}[variant%2], []int{1, 4}[variant>>1%2]
		o.Short.BDPs = []float64{0, 0.1, 1}[variant>>2%3]
		env := hosttest.Env(3)
		env.Largest, env.Echo = unit.MB, 1
		newNet(t, o, 3, env).Misuse(script, env.Payload)
	})
}

// TestAnnouncements: what another host says of its messages costs little.
func TestAnnouncements(t *testing.T) {
	env := hosttest.Env(2)
	env.Largest, env.Out, env.Rand = unit.TiB, &protocol.HostOutput{}, rand.NewPCG(1, 1)
	h := newHost(newConfig(testOptions(), env), env)
	hosttest.CheckAnnouncements(t, h, env.Largest, func(number uint32, size unit.Bytes) protocol.Packet {
		return protocol.Packet{Kind: tokens.Notice, Peer: 1, Message: number, Size: size, Wire: 84}
	})
}
