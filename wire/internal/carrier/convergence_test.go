package carrier

import (
	"slices"
	"testing"

	"weft/catalog"
	"weft/internal/connection/hosted"
	"weft/protocol"
	"weft/protocol/dart"
	"weft/protocol/entropy"
	"weft/unit"
)

// lengths are how long senders took to take notice of others.
type lengths []unit.Time

func (l *lengths) Add(since, now unit.Time) { *l = append(*l, now-since) }

// measuring has endpoints carry Dart, whose receivers count senders in a way, and measure.
func measuring(t *testing.T, counts string, m protocol.Convergence) func(*Config) {
	options, err := dart.Entries()[0].Defaults()
	if err != nil {
		t.Fatal(err)
	}
	o := options.(*dart.Options)
	o.Counts = &counts
	control, err := o.Build()
	if err != nil {
		t.Fatal(err)
	}
	balancer, err := catalog.BuildDefault(entropy.Entries(), "ecmp")
	if err != nil {
		t.Fatal(err)
	}
	create := control.NewAnswerer
	control.NewAnswerer = func(env protocol.HostEnv) protocol.Answerer {
		env.Convergence = m
		return create(env)
	}
	carried, err := hosted.Control(control, balancer)
	if err != nil {
		t.Fatal(err)
	}
	return func(c *Config) { c.Transport, c.Balancer = carried, balancer }
}

// TestConvergence: a long flow takes notice of a burst of a second sender, whenever that comes, as the receiver measures it. That takes a frame and an
// acknowledgement over two links, at least, and at most what can be added: eight frames of both until four of the long flow are
// acknowledged, one frame of which the wait doubles, and as long again in the queue that both senders fill meanwhile at line rate. The long flow
// is one message, or many short ones, between which receivers that count backlogs do not take it for gone.
func TestConvergence(t *testing.T) {
	for _, of := range []struct {
		counts string
		size   int
	}{{"messages", 2_000_000}, {"backlog", 64_000}} {
		t.Run(of.counts, func(t *testing.T) { converges(t, of.counts, of.size) })
	}
}

func converges(t *testing.T, counts string, size int) {
	const bursts = 20
	var took lengths
	var frame, least unit.Time
	for i := range bursts {
		w := star(t, 3, measuring(t, counts, &took)) // the queue that a burst leaves stays, without drain
		first, second := w.connect(0, 2), w.connect(1, 2)
		env := &w.ends[0].env
		frame = testRate.Transmit(env.Packet)
		least = 4*hop + 2*frame + 2*testRate.Transmit(env.Control)
		for sent := 0; sent < 2_000_000; sent += size {
			w.submit(0, first, make([]byte, size))
		}
		w.Run(w.Now() + 500*unit.Microsecond + unit.Time(i)*437*unit.Nanosecond)
		w.submit(1, second, body(uint64(i), 100*int(env.Payload)))
		w.Run(w.Now() + 500*unit.Microsecond)
	}
	if len(took) != bursts {
		t.Fatalf("%d bursts, and %d measurements", bursts, len(took))
	}
	slices.Sort(took)
	t.Logf("%v to %v, median %v; %v is the least", took[0], took[bursts-1], took[bursts/2], least)
	const slack = 200 * unit.Nanosecond // what a packet is reckoned as is a little more than it has on the wire
	if most := 2 * (least + 9*frame); took[0] < least-slack || took[bursts-1] > most {
		t.Errorf("from %v to %v, want %v to %v", took[0], took[bursts-1], least, most)
	}
}
