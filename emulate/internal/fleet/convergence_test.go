package fleet

import (
	"testing"
	"time"

	"weft/catalog"
	"weft/protocol/dart"
	"weft/protocol/entropy"
	"weft/transport"
	"weft/unit"
	"weft/wire"
)

// TestConvergence: receivers measure how long senders take to take notice of others, by the clock of the run.
func TestConvergence(t *testing.T) {
	c := over(t)
	control, err := catalog.BuildDefault(dart.Entries(), "dart")
	if err != nil {
		t.Fatal(err)
	}
	ecmp, err := catalog.BuildDefault(entropy.Entries(), "ecmp")
	if err != nil {
		t.Fatal(err)
	}
	c.Transport = wire.Custom{Name: "dart", Control: control, Balancer: ecmp}
	c.Rate = func(int) unit.Rate { return 20 * unit.Mbps }
	c.Convergence = &transport.Convergence{From: unit.Second, To: unit.Forever}
	f, ctx := connected(t, c, 20*time.Second)
	began := time.Now().Add(-time.Second)
	f.Begin(func() unit.Time { return unit.Time(time.Since(began)) * unit.Nanosecond }, func() {})
	f.Start(0, transport.Carried{Src: 0, Dst: 2, Size: 2 * unit.MB}) // for 0.8 s
	time.Sleep(100 * time.Millisecond)
	f.Start(0, transport.Carried{Src: 1, Dst: 2, Size: 200 * unit.KB})
	for f.Convergence().Times.Count() == 0 {
		if ctx.Err() != nil {
			t.Fatal("nothing was measured")
		}
		time.Sleep(10 * time.Millisecond)
	}
	if most := f.Convergence().Times.Max(); most <= 0 || most > int64(10*unit.Second) {
		t.Errorf("it took %v", unit.Time(most))
	}
	if f.Convergence().From != unit.Second {
		t.Error("it has another window")
	}
}
