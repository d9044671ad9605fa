package sird

import (
	"testing"

	"weft/protocol/hosttest"
	"weft/unit"
)

// FuzzStranger has a host that is let in say what it likes: no books break, and nothing of it is left once it is forgotten.
func FuzzStranger(f *testing.F) {
	for i, script := range hosttest.Scripts() {
		f.Add(uint8(i), script)
	}
	f.Fuzz(func(t *testing.T, variant uint8, script []byte) {
		o := testOptions()
		o.Preset = []string{Paper, NSDI25}[variant%2]
		o.Policy = []string{"srpt", "round-robin"}[variant>>1%2]
		o.Silence = 100 * unit.Microsecond
		env := testEnv(3)
		env.Largest, env.Echo = unit.MB, 1
		newNet(t, o, 3, env).Misuse(script, env.Payload)
	})
}
