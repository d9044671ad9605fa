package transport

import (
	"testing"

	"pgregory.net/rapid"

	"weft/unit"
)

// TestOutbox removes messages in any order.
func TestOutbox(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := outbox{base: 1<<32 - 5}
		next := b.base
		var open []uint64
		for range rapid.IntRange(1, 100).Draw(t, "steps") {
			if len(open) == 0 || rapid.Bool().Draw(t, "add") {
				b.add(outgoing{size: unit.Bytes(next)})
				open = append(open, next)
				next++
				continue
			}
			k := rapid.IntRange(0, len(open)-1).Draw(t, "which")
			o, ordinal := b.at(open[k] & 0xffffffff)
			if ordinal != open[k] || o.size != unit.Bytes(open[k]) {
				t.Fatalf("message %d is %d of %v", open[k], ordinal, o.size)
			}
			o.done = true
			b.shrink()
			open = append(open[:k], open[k+1:]...)
		}
	})
}
