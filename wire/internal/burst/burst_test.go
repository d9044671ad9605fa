package burst

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"weft/unit"
	"weft/wire/internal/socket"
)

// TestBurstsAreOfOneWayAndSize gathers datagrams and looks at what left, and in which order.
func TestBurstsAreOfOneWayAndSize(t *testing.T) {
	type one struct{ port, to, size int }
	for name, c := range map[string]struct {
		list   []one
		bursts string
		order  string
	}{
		"one alone":            {[]one{{0, 1, 100}}, "[]", "[0]"},
		"equal ones":           {[]one{{0, 1, 100}, {0, 1, 100}, {0, 1, 100}}, "[[100 100 100]]", "[0 1 2]"},
		"a smaller one last":   {[]one{{0, 1, 40}, {0, 1, 100}}, "[[100 40]]", "[1 0]"},
		"two smaller ones":     {[]one{{0, 1, 40}, {0, 1, 40}, {0, 1, 100}, {0, 1, 100}}, "[[100 100 40]]", "[2 3 0 1]"},
		"ports in turns":       {[]one{{0, 1, 100}, {1, 1, 100}, {0, 1, 100}, {1, 1, 100}}, "[[100 100] [100 100]]", "[0 2 1 3]"},
		"addresses in turns":   {[]one{{0, 1, 100}, {0, 2, 100}, {0, 1, 100}, {0, 2, 100}}, "[[100 100] [100 100]]", "[0 2 1 3]"},
		"three sizes":          {[]one{{0, 1, 40}, {0, 1, 50}, {0, 1, 60}}, "[[60 40]]", "[2 0 1]"},
		"nothing in common":    {[]one{{0, 1, 100}, {1, 1, 100}, {0, 2, 100}}, "[]", "[0 1 2]"},
		"different and a pair": {[]one{{0, 1, 100}, {1, 1, 90}, {0, 2, 80}, {1, 1, 90}}, "[[90 90]]", "[0 1 3 2]"},
	} {
		w := newWorld(t)
		for _, o := range c.list {
			w.add(o.port, o.to, o.size, false)
		}
		w.Flush(0)
		if got := fmt.Sprint(w.bursts); got != c.bursts {
			t.Errorf("%s: bursts %s, want %s", name, got, c.bursts)
		}
		if got := fmt.Sprint(w.order); got != c.order {
			t.Errorf("%s: %s left, want %s", name, got, c.order)
		}
		for i := range c.list {
			if w.got[uint32(i)] != 1 {
				t.Errorf("%s: datagram %d came %d times", name, i, w.got[uint32(i)])
			}
		}
	}
}

// TestBurstsKeepApart gathers datagrams of drawn ways: a burst has those of one number of one port, in their order, and as few
// bursts leave as there are ways with several.
func TestBurstsKeepApart(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		w := newWorld(t)
		of := map[Way][]uint32{}
		for range rapid.IntRange(1, mostGathered).Draw(r, "datagrams") {
			by := Way{Port: rapid.IntRange(0, 1).Draw(r, "port"), To: address(1), Burst: uint32(rapid.IntRange(0, 3).Draw(r, "burst"))}
			of[by] = append(of[by], w.addTo(by, 100, false))
		}
		w.Flush(0)
		several := 0
		for by, numbers := range of {
			for len(numbers) > 0 {
				some := numbers[:min(len(numbers), socket.MostSegments)]
				numbers = numbers[len(some):]
				at := slices.Index(w.order, some[0])
				if !slices.Equal(w.order[at:at+len(some)], some) {
					r.Errorf("%v of %+v left among %v", some, by, w.order)
				}
				several += min(1, len(some)-1)
			}
		}
		if len(w.bursts) != several {
			r.Errorf("%d bursts left, and %d can be: %v", len(w.bursts), several, w.bursts)
		}
	})
}

// TestBurstsKeepToTheLimits fills all the room that there is, with datagrams of several sizes.
func TestBurstsKeepToTheLimits(t *testing.T) {
	for _, size := range []int{10, 1000, 1452} {
		w := newWorld(t)
		n := 0
		for w.Room() != nil {
			w.add(3, 1, size, false)
			n++
		}
		w.Flush(0)
		if len(w.got) != n || w.Room() == nil {
			t.Fatalf("%d of %d left", len(w.got), n)
		}
		for _, sizes := range w.bursts {
			if len(sizes) > socket.MostSegments || len(sizes)*size > socket.MostBurst {
				t.Errorf("a burst of %d datagrams of %d B", len(sizes), size)
			}
		}
		if most := socket.MostBurst / size; len(w.bursts) > n/min(most, socket.MostSegments)+1 {
			t.Errorf("%d datagrams of %d B in %d bursts", n, size, len(w.bursts))
		}
		c, all := w.Counts, uint64(0)
		for _, k := range c.Sizes {
			all += k
		}
		if c.Bursts != uint64(len(w.bursts)) || all != c.Bursts || c.Datagrams != uint64(n) {
			t.Errorf("counted %+v of %d datagrams in %d bursts", c, n, len(w.bursts))
		}
	}
}

// TestWhatIsOfNoPathGoesAlone: handshakes, and all where there are no bursts.
func TestWhatIsOfNoPathGoesAlone(t *testing.T) {
	for _, none := range []bool{false, true} {
		w := newWorld(t)
		if w.none = none; !none {
			w.path = nil
		}
		for range 5 {
			w.add(0, 1, 100, false)
		}
		if w.Flush(0); len(w.bursts) > 0 || len(w.got) != 5 {
			t.Errorf("%v: %d came, in bursts %v", none, len(w.got), w.bursts)
		}
	}
}

// TestRefusedBurstsGoOneByOne: none is lost, and the path is closed until a check finds that the kernel takes them.
func TestRefusedBurstsGoOneByOne(t *testing.T) {
	w := newWorld(t)
	w.burstErr = refusal()
	for port := range 2 {
		for range 10 {
			w.add(port, 1, 100, false)
		}
	}
	if w.Flush(0); len(w.got) != 20 || w.Counts.Refused != 1 {
		t.Errorf("%d came, counted %+v", len(w.got), w.Counts)
	}
	w.mustBe("invalid argument")
	w.run(unit.Second)
	w.skip(firstClosed - 2*unit.Second)
	w.mustBe("invalid argument")
	if w.probed > 0 || len(w.bursts) > 0 {
		t.Errorf("%d probes, bursts %v", w.probed, w.bursts)
	}
	w.skip(2 * unit.Second) // of the check that follows
	w.mustBe("invalid argument")
	if w.probed == 0 {
		t.Error("nobody has looked again")
	}
	w.burstErr = nil
	w.skip(2*firstClosed - 2*unit.Second)
	w.mustBe("invalid argument")
	w.skip(4 * unit.Second)
	w.mustBe("")
	if w.run(unit.Second / 10); len(w.bursts) < 100 {
		t.Errorf("%d bursts since", len(w.bursts))
	}
}

// TestTooLargeIsNotForTheBurst: what a path does not take alone says nothing of bursts.
func TestTooLargeIsNotForTheBurst(t *testing.T) {
	w := newWorld(t)
	w.burstErr, w.loneErr = refusal(), &socket.SizeError{To: address(1), Size: 1452}
	for range 5 {
		w.add(0, 1, 1452, false)
	}
	w.Flush(0)
	if w.mustBe(""); w.Counts.Oversized != 5 {
		t.Errorf("counted %+v", w.Counts)
	}
}

// TestBusyIsLost: the kernel has no room for the datagrams of such a burst either.
func TestBusyIsLost(t *testing.T) {
	w := newWorld(t)
	w.burstErr = socket.ErrBusy
	for range 5 {
		w.add(0, 1, 1452, false)
	}
	w.Flush(0)
	if w.mustBe(""); len(w.got) > 0 || w.Counts.Bursts+w.Counts.Refused > 0 {
		t.Errorf("%d came, counted %+v", len(w.got), w.Counts)
	}
}

// TestPathsThatLoseBursts are closed after few losses, and what is sent comes.
func TestPathsThatLoseBursts(t *testing.T) {
	for name, c := range map[string]struct {
		dies func(w *world) func(i, n int) bool
		lone float64
		most int // losses until the path is closed
	}{
		"all of them":               {func(*world) func(i, n int) bool { return func(int, int) bool { return true } }, 0, 256},
		"all, with losses":          {func(*world) func(i, n int) bool { return func(int, int) bool { return true } }, 0.05, 256},
		"the last datagram of each": {func(*world) func(i, n int) bool { return func(i, n int) bool { return i == n-1 } }, 0, 256},
		"every second burst": {func(w *world) func(i, n int) bool {
			return func(int, int) bool { return len(w.bursts)%2 == 0 }
		}, 0, 256},
		"half of each": {func(*world) func(i, n int) bool { return func(i, n int) bool { return i >= n/2 } }, 0, 256},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.dies, w.lone = c.dies(w), w.chance(c.lone)
			lost := w.run(2 * unit.Second)
			w.mustBe("got no answer")
			if lost > c.most {
				t.Errorf("%d datagrams were lost before", lost)
			}
			t.Logf("%d datagrams were lost before: %s", lost, w.path.why)
			bursts, came := len(w.bursts), len(w.got)
			w.dies = func(int, int) bool { t.Error("there was a burst"); return false }
			w.run(unit.Second)
			if len(w.bursts) != bursts || len(w.got) < came+10_000 {
				t.Errorf("%d bursts since, and %d datagrams came", len(w.bursts)-bursts, len(w.got)-came)
			}
			// Bursts live again, and are found to.
			w.dies = func(int, int) bool { return false }
			w.skip(firstClosed + unit.Second)
			w.mustBe("")
		})
	}
}

// TestPathsThatBeginToLoseBursts, after they have passed a check for losses at random, are closed too.
func TestPathsThatBeginToLoseBursts(t *testing.T) {
	w := newWorld(t)
	w.lone, w.answer = w.chance(0.05), w.chance(0.05)
	w.dies = func(int, int) bool { return w.lone() }
	w.run(2 * unit.Second)
	w.mustBe("")
	if w.probed == 0 {
		t.Fatal("it was not checked")
	}
	w.dies, w.lost = func(int, int) bool { return true }, 0
	lost := w.run(4 * unit.Second)
	w.mustBe("got no answer")
	if lost > 20_000 {
		t.Errorf("%d datagrams were lost before", lost)
	}
}

// TestLossesAtRandomChangeNothing, whether probes, answers or data are lost.
func TestLossesAtRandomChangeNothing(t *testing.T) {
	for _, p := range []float64{0.001, 0.1, 1} {
		t.Run(fmt.Sprint(p), func(t *testing.T) {
			w := newWorld(t)
			w.lone, w.answer = w.chance(p), w.chance(p)
			w.dies = func(int, int) bool { return w.lone() }
			for range 4 {
				w.run(unit.Second / 2)
				w.skip(unit.Second)
				w.mustBe("")
			}
			if w.probed > 7*4*rounds*probes {
				t.Errorf("%d probes in 6 s", w.probed)
			}
			t.Logf("%d probes, %d bursts", w.probed, len(w.bursts))
		})
	}
}

// TestBurstsOfWhatNobodyRepeats: credit that is lost is not sent again, but asked about when nothing was heard.
func TestBurstsOfWhatNobodyRepeats(t *testing.T) {
	w := newWorld(t)
	w.dies = func(int, int) bool { return true }
	silences := 0
	for ; silences < 100 && w.path.state == open; silences++ {
		for range 16 {
			w.add(0, 1, 50, false)
		}
		w.Flush(w.now)
		w.now += 5 * unit.Millisecond
		w.add(0, 1, 50, true)
		w.Flush(w.now)
		w.heard = w.now
		w.now += 100 * unit.Microsecond
	}
	if silences > suspicion/unheard+1 {
		t.Errorf("it took %d silences until the path was checked", silences)
	}
	for range 100 {
		w.now += 10 * unit.Millisecond
		w.Expire(w.now)
	}
	w.mustBe("got no answer")
}

// TestPeersThatAreGone end checks.
func TestPeersThatAreGone(t *testing.T) {
	w := newWorld(t)
	w.dies = func(int, int) bool { return true }
	w.gone = true
	w.run(unit.Second)
	w.mustBe("")
	if w.Wake() != unit.Forever {
		t.Error("something is waited for")
	}
	w = newWorld(t)
	w.burstErr = refusal()
	w.run(unit.Second)
	w.mustBe("invalid")
	if w.Wake() == unit.Forever {
		t.Error("nobody looks again")
	}
	if w.Forget(w.path); w.Wake() != unit.Forever {
		t.Error("who is forgotten is looked at")
	}
}

func TestNothingIsAllocated(t *testing.T) {
	w := newWorld(t)
	quiet := &silent{}
	w.link = quiet
	if n := testing.AllocsPerRun(100, func() {
		for i := 0; w.Room() != nil; i++ {
			w.Add(0, Way{Port: i % 4, To: address(1)}, 1400, w.path, false)
		}
		w.Flush(0)
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
	if quiet.bursts == 0 {
		t.Error("there were no bursts")
	}
}
