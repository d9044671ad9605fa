package fabric_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"weft/fabric"
	"weft/fault"
	"weft/sim"
	"weft/unit"
)

// nicModel is the plainest model of a NIC with jitter: one frame after another, with
// arithmetic of its own.
type nicModel struct {
	waits, clock rand.PCG
	jitter       fabric.Jitter
	ppb          int64
	changes      []fault.Change // in order
}

func newNICModel(seed uint64, host string, j fabric.Jitter, changes []fault.Change) *nicModel {
	m := &nicModel{
		waits: sim.Stream(seed, sim.Hash(host), "nic jitter"), clock: sim.Stream(seed, sim.Hash(host), "nic clock"),
		jitter: j, changes: changes,
	}
	m.ppb = drawn(&m.clock, int64(j.PPM)*1000)
	return m
}

// drawn returns a number from 0 to most.
func drawn(random *rand.PCG, most int64) int64 {
	x := new(big.Int).SetUint64(random.Uint64())
	x.Mul(x, big.NewInt(most+1))
	return x.Rsh(x, 64).Int64()
}

// transmit returns how long a frame takes at a rate by the NIC's clock.
func (m *nicModel) transmit(r unit.Rate, size uint16) sim.Time {
	less := new(big.Int).Mul(big.NewInt(int64(r)), big.NewInt(m.ppb))
	rate := big.NewInt(int64(r))
	rate.Sub(rate, less.Div(less, big.NewInt(1e9)))
	time := new(big.Int).Mul(big.NewInt(int64(size)*8), big.NewInt(1e12))
	time.Add(time, rate).Sub(time, big.NewInt(1))
	return sim.Time(time.Div(time, rate).Int64())
}

// ends returns when each frame that is not lost is out, by ID. Those to be sent are in
// order, and the link fails no later than it carries them from one end to the other.
func (m *nicModel) ends(sends []send, rate unit.Rate, flight sim.Time) map[uint32]sim.Time {
	out := map[uint32]sim.Time{}
	free := sim.Time(0)
	for _, s := range sends {
		taken := max(free, s.At)
		if up, down := m.back(taken); down {
			taken = up
		}
		begin := taken + sim.Time(drawn(&m.waits, int64(m.jitter.Delay)))
		now := rate
		for _, c := range m.changes {
			if c.What == fault.SetRate && c.At <= begin {
				now = c.Rate
			}
		}
		free = begin + m.transmit(now, s.Size)
		lost := false
		for _, c := range m.changes {
			if c.What == fault.Down && taken < c.At && c.At < free+flight {
				lost = true
				free = min(free, c.At)
			}
		}
		if !lost {
			out[s.ID] = free
		}
	}
	return out
}

// back tells whether the link is down at a time, and when it is up again.
func (m *nicModel) back(at sim.Time) (up sim.Time, down bool) {
	for _, c := range m.changes {
		switch {
		case c.What == fault.Down && c.At <= at:
			down = true
		case c.What == fault.Up && c.At <= at:
			down = false
		case c.What == fault.Up && down:
			return c.At, true
		}
	}
	return 0, down
}

// TestJitterAgainstModel lets one host send with jitter while its link changes, and
// compares when each frame is out.
func TestJitterAgainstModel(t *testing.T) {
	const ns = unit.Nanosecond
	var cover coverage
	rapid.Check(t, func(t *rapid.T) {
		g := slowStar(2)
		g.Links[0].Rate = rapid.SampledFrom(rates()).Draw(t, "rate")
		g.Links[0].Delay = rapid.SampledFrom([]sim.Time{0, 100 * ns, 3000 * ns}).Draw(t, "delay")
		g.Links[1].Rate = instant
		up := portOf(t, g, "host0", "tor0")
		s := setup{Graph: g, Seed: rapid.Uint64().Draw(t, "seed"), Domains: rapid.IntRange(1, 3).Draw(t, "domains"), Jitter: drawJitter(t)}
		at := sim.Time(0)
		for i := range rapid.IntRange(1, 40).Draw(t, "frames") {
			at += sim.Time(rapid.SampledFrom([]int64{0, 0, 0, 1, 20_000, 400_000}).Draw(t, "gap"))
			s.Sends = append(s.Sends, send{At: at, Src: 0, Dst: 1, ID: uint32(i), Size: uint16(rapid.IntRange(1, 9000).Draw(t, "size"))})
		}
		var changes []fault.Change
		moment := sim.Time(0)
		pass := func() sim.Time {
			moment += 1 + sim.Time(rapid.Int64Range(0, 3_000_000).Draw(t, "later"))
			return moment
		}
		for range rapid.IntRange(0, 4).Draw(t, "changes") {
			if rapid.Bool().Draw(t, "fails") {
				changes = append(changes, fault.Change{At: pass(), Port: up, What: fault.Down}, fault.Change{At: pass(), Port: up, What: fault.Up})
				continue
			}
			changes = append(changes, fault.Change{At: pass(), Port: up, What: fault.SetRate, Rate: rapid.SampledFrom(rates()).Draw(t, "to")})
		}
		n := s.build(t)
		for _, c := range changes {
			n.change(t, c)
		}
		n.drain(t)
		// The switch's port takes a picosecond a byte, so that frames may wait there.
		out := newNICModel(s.Seed, "host0", s.Jitter, changes).ends(s.Sends, g.Links[0].Rate, g.Links[0].Delay)
		want := map[uint32]sim.Time{}
		free := sim.Time(0)
		for _, frame := range s.Sends {
			if end, ok := out[frame.ID]; ok {
				free = max(free, end+g.Links[0].Delay+50*ns) + sim.Time(frame.Size)
				want[frame.ID] = free + 100*ns
			}
		}
		if diff := cmp.Diff(want, n.times(1)); diff != "" {
			t.Fatalf("deliveries (-want +got):\n%s", diff)
		}
		cover.note("scenes", true)
		cover.note("waits", s.Jitter.Delay > 0)
		cover.note("slow clocks", s.Jitter.PPM > 0)
		cover.note("losses", len(out) < len(s.Sends))
	})
	cover.report(t, 20)
}

// drawJitter draws a jitter that may be none.
func drawJitter(t *rapid.T) fabric.Jitter {
	return fabric.Jitter{
		Delay: rapid.SampledFrom([]sim.Time{0, 1, 5000, 333_333, 2_000_000}).Draw(t, "jitter"),
		PPM:   rapid.SampledFrom([]int{0, 1, 200, 100_000}).Draw(t, "ppm"),
	}
}

// TestJitterDraws compares the waits of frames by host and seed: they depend on these, and
// not on what other hosts send, and are spread evenly.
func TestJitterDraws(t *testing.T) {
	const total, most = 2000, 999
	g := slowStar(4)
	waits := func(seed uint64, lone bool) (of [2][]sim.Time) {
		s := setup{Graph: g, Seed: seed, Jitter: fabric.Jitter{Delay: most}}
		for i := range total {
			at := sim.Time(i) * 10 * unit.Microsecond
			s.Sends = append(s.Sends, send{At: at, Src: 0, Dst: 2, ID: uint32(i), Size: 1000})
			if !lone {
				s.Sends = append(s.Sends, send{At: at, Src: 1, Dst: 3, ID: uint32(i), Size: 1000})
			}
		}
		n := s.build(t)
		n.drain(t)
		for k := range of {
			for _, d := range n.logs[2+k] {
				of[k] = append(of[k], d.At-sim.Time(d.ID)*10*unit.Microsecond-2250*unit.Nanosecond)
			}
		}
		return of
	}
	first := waits(1, false)
	counts := make([]float64, 10)
	for _, w := range first[0] {
		if w < 0 || w > most {
			t.Fatalf("a frame waited %d ps, which is not from 0 to %d", w, most)
		}
		counts[w/100]++
	}
	if off := chiSquare(counts); math.Abs(off) > 4 {
		t.Errorf("waits are spread as %v, %.1f standard deviations from evenly", counts, off)
	}
	if slices.Equal(first[0], first[1]) {
		t.Error("two hosts wait alike")
	}
	if slices.Equal(first[0], waits(2, false)[0]) {
		t.Error("seeds 1 and 2 wait alike")
	}
	if !slices.Equal(first[0], waits(1, true)[0]) {
		t.Error("how long one host waits depends on the traffic of another")
	}
}

// TestClocks compares how long a frame takes by the clocks of many hosts.
func TestClocks(t *testing.T) {
	const hosts, size, ppm = 200, 50_000, 100
	g := slowStar(hosts)
	s := setup{Graph: g, Seed: 7, Jitter: fabric.Jitter{PPM: ppm}}
	for i := range int32(hosts) {
		s.Sends = append(s.Sends, send{Src: i, Dst: (i + 1) % hosts, ID: uint32(i), Size: size})
	}
	n := s.build(t)
	n.drain(t)
	var took []sim.Time
	for _, log := range n.logs {
		took = append(took, log[0].At-50_250*unit.Nanosecond)
	}
	slices.Sort(took)
	const nominal = size * unit.Nanosecond
	if least, most := took[0], took[hosts-1]; least < nominal || most > nominal+nominal*ppm/1_000_000+nominal/1_000_000 {
		t.Errorf("a frame of %v took from %v to %v", nominal, least, most)
	}
	if middle := took[hosts/2] - nominal; middle < nominal*ppm/1_000_000/3 || middle > nominal*ppm/1_000_000*2/3 {
		t.Errorf("the median frame is late by %v, which is not about %d ppm", middle, ppm/2)
	}
	if distinct := slices.Compact(took); len(distinct) < hosts*9/10 {
		t.Errorf("%d hosts have %d clocks", hosts, len(distinct))
	}
}
