package expresspass

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
		o := testOptions([]string{Paper, SIRD}[variant%2])
		pool, reply := []int{0, 1, 3}[variant>>1%3], variant>>3&1 != 0
		o.Pool, o.Reply = &pool, &reply
		env := testEnv(3)
		env.Largest = unit.MB
		n := newNetOf(t, o, env, 1)
		n.Done = n.idle // the stranger's credits are in nobody's books
		n.Misuse(script, env.Payload)
	})
}
