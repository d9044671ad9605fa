package expresspass

import (
	"math"
	"testing"

	"weft/unit"
)

// flow is the feedback of a flow that begins at time 0, with a round-trip time of 10 us.
func flow(preset string) (*feedback, *config) {
	c := newConfig(testOptions(preset), testEnv(2))
	f := &feedback{}
	f.start(c, 0, 1000)
	return f, c
}

// hear tells of data for credits, of which some are passed over, and updates the rate.
func hear(f *feedback, c *config, now unit.Time, answered, dropped int) {
	for i := range answered {
		skip := uint32(0)
		if i == 0 {
			skip = uint32(dropped)
		}
		f.answered(now, f.next+skip, now-10*unit.Microsecond)
	}
	f.update(c, now)
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9 {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// Algorithm 1, and what the public simulator has in its place.
func TestFeedback(t *testing.T) {
	const us = unit.Microsecond
	t.Run("paper", func(t *testing.T) {
		f, c := flow(Paper)
		near(t, "the first rate", f.rate, 1./16)
		hear(f, c, 10*us, 20, 2) // 2 of 22 is below 10 %
		w := (1./16 + 0.5) / 2
		rate := (1-w)/16 + w*1.1
		near(t, "w", f.w, w)
		near(t, "the rate", f.rate, rate)
		hear(f, c, 15*us, 5, 5)
		near(t, "the rate within a round-trip time", f.rate, rate)
		hear(f, c, 20*us, 5, 0) // 5 of 15 since the update
		near(t, "the rate after a loss", f.rate, rate*(1-5./15)*1.1)
		near(t, "w after a loss", f.w, w/2)
		hear(f, c, 30*us, 5, 0)
		near(t, "w at the first increase after a loss", f.w, w/2)
		hear(f, c, 40*us, 5, 0)
		near(t, "w at the second", f.w, (w/2+0.5)/2)
	})
	t.Run("sird", func(t *testing.T) {
		f, c := flow(SIRD)
		hear(f, c, 10*us, 20, 2) // the target is 15/16 of 1/8
		w := 1./16 + 0.05
		rate := (1-w)/16 + w
		near(t, "the rate", f.rate, rate)
		near(t, "w", f.w, w)
		hear(f, c, 20*us, 10, 5)
		target := (1 - rate) / 8
		delivered := 10 * float64(c.gap) / float64(10*us)
		near(t, "the rate after a loss", f.rate, delivered*(1+target))
		near(t, "w after a loss", f.w, w/2)
	})
	t.Run("bounds", func(t *testing.T) {
		f, c := flow(SIRD)
		for i := range 60 {
			hear(f, c, unit.Time(i+1)*10*us, 1, 0)
		}
		near(t, "the largest w", f.w, 0.5)
		if f.rate < 0.99 || f.rate > 1 {
			t.Errorf("without losses the rate is %v", f.rate)
		}
		for i := range 60 {
			hear(f, c, unit.Time(i+61)*10*us, 1, 1000)
		}
		near(t, "the least w", f.w, 0.01)
		near(t, "the least rate", f.rate, float64(c.gap)/float64(f.rtt))
	})
	t.Run("late answers count for nothing", func(t *testing.T) {
		f, _ := flow(SIRD)
		f.answered(10*us, 5, 0)
		if f.answered(11*us, 3, 0) || f.total != 6 || f.dropped != 5 {
			t.Errorf("%d credits, %d dropped", f.total, f.dropped)
		}
	})
	t.Run("few packets", func(t *testing.T) {
		f, c := flow(SIRD)
		f.start(c, 0, 2)
		near(t, "the first rate of two packets", f.rate, 2./40/16)
		f, c = flow(Paper)
		f.start(c, 0, 2)
		near(t, "that of the paper", f.rate, 1./16)
	})
}

// TestPause has a pause at each rate, as long as a time can tell.
func TestPause(t *testing.T) {
	f, c := flow(Paper)
	for _, rate := range []struct {
		rate float64
		want unit.Time
	}{
		{1, c.gap},
		{1. / 16, 16 * c.gap},
		{1e-5 / 40, 4000000 * c.gap},
		{1e-22, 1000 * unit.Second}, // 1.3e15 s
		{0, 1000 * unit.Second},
	} {
		f.rate = rate.rate
		if got := f.pause(c); got < rate.want-rate.want/1e9 || got > rate.want+rate.want/1e9 {
			t.Errorf("at a rate of %v the pause is %v, want %v", rate.rate, got, rate.want)
		}
	}
}
