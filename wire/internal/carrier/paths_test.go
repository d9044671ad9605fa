package carrier

import (
	"testing"

	"weft/unit"
	"weft/wire/internal/lan"
)

// TestDeadPath cuts one of four paths in the midst of a message, for good. ARCANE sends with the entropies that came back, so
// that next to nothing goes to the dead path and the message takes little longer. Plain spraying goes on to lose a quarter;
// messages come all the same. Nothing probes the paths beside.
func TestDeadPath(t *testing.T) {
	link := lan.Link{Rate: testRate, Delay: 2 * unit.Microsecond, Queue: 500 * unit.KB, Mark: 31 * unit.KB}
	paths := lan.Config{Seed: 1, Up: link, Down: link, Paths: []lan.Link{link, link, link, link}, Overhead: overhead}
	for _, name := range connections() {
		sent := func(balancer string, bytes int) (took unit.Time, lost, given uint64) {
			w := newWorldOn(t, 2, paths, over(t, name, balancer), func(c *Config) { c.Carried = true })
			p := w.connect(0, 1)
			w.spent(0, p, body(1, 1_000_000)) // which tells of the paths
			var before uint64
			w.At(w.Now()+50*unit.Microsecond, func() {
				w.Cut(0, true)
				before = w.Counts().Sent
			})
			took = w.spent(0, p, body(2, bytes))
			return took, w.PathCounts(0).Lost, w.Counts().Sent - before
		}
		took, lost, given := sent("arcane", 10_000_000)
		t.Logf("%s with ARCANE: %v, %d of %d datagrams lost", name, took, lost, given)
		if most := testRate.Transmit(10_000_000) * 13 / 10; took > most || lost > given/100 {
			t.Errorf("%s with ARCANE: %v, %d of %d datagrams lost", name, took, lost, given)
		}
		took, lost, given = sent("ops", 500_000)
		t.Logf("%s with plain spraying: %v, %d of %d datagrams lost", name, took, lost, given)
		if lost < given/8 {
			t.Errorf("%s with plain spraying: %d of %d datagrams lost", name, lost, given)
		}
	}
}
