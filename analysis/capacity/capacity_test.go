package capacity

import (
	"math"
	"testing"

	"weft/unit"
)

func figure3(n int) Uplinks {
	return Uplinks{
		Flows: n, Size: 32 << 20, HostRate: 400 * unit.Gbps,
		Uplinks: n, Rate: 400 * unit.Gbps, Slow: 1, SlowRate: 200 * unit.Gbps, MTU: 4096,
	}
}

func near(t *testing.T, what string, got, want, within float64) {
	t.Helper()
	if !(math.Abs(got-want) <= within) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

func TestFigure3(t *testing.T) {
	for n, adaptive := range map[int]float64{4: 767, 8: 715.8} {
		b, err := figure3(n).Bounds()
		if err != nil {
			t.Fatal(err)
		}
		near(t, "host", b.Host*1e6, 671.1, 0.05)
		near(t, "uniform", b.Uniform*1e6, 1342.2, 0.05)
		near(t, "adaptive", b.Adaptive*1e6, adaptive, 0.05)
		near(t, "uniform goodput", b.UniformRate, 200e9, 1)
	}
}

func TestHeadersTakeTheirTime(t *testing.T) {
	u := figure3(8)
	u.Header = 64
	b, err := u.Bounds()
	if err != nil {
		t.Fatal(err)
	}
	near(t, "uniform", b.Uniform*1e6, 1342.2*(1+64./4096), 0.05)
	u.Size = 1 // one packet, with one header
	if b, _ = u.Bounds(); b.Host != 8*65/400e9 {
		t.Errorf("a byte takes %v", b.Host)
	}
}

func TestNothingIsSlow(t *testing.T) {
	for _, change := range []func(*Uplinks){
		func(u *Uplinks) { u.Slow = 0 },
		func(u *Uplinks) { u.SlowRate = u.Rate },
		func(u *Uplinks) { u.Flows = 1 },
	} {
		u := figure3(8)
		change(&u)
		if b, err := u.Bounds(); err != nil || b.Adaptive != b.Host || b.Uniform != b.Host {
			t.Errorf("%+v: bounds %+v, %v; want that of the host", u, b, err)
		}
	}
}

func TestDeadUplink(t *testing.T) {
	u := figure3(4)
	u.SlowRate = 0
	b, err := u.Bounds()
	if err != nil || !math.IsInf(b.Uniform, 1) || b.UniformRate != 0 {
		t.Errorf("bounds %+v, %v; want no end of even spraying", b, err)
	}
	near(t, "adaptive", b.Adaptive, b.Host*4/3, 1e-12)
	u.Slow = 4
	if b, _ = u.Bounds(); !math.IsInf(b.Adaptive, 1) {
		t.Errorf("without an uplink adaptive spraying takes %v", b.Adaptive)
	}
}

func TestRefusals(t *testing.T) {
	for _, change := range []func(*Uplinks){
		func(u *Uplinks) { u.Flows = 0 },
		func(u *Uplinks) { u.Slow = 9 },
		func(u *Uplinks) { u.Size = 0 },
		func(u *Uplinks) { u.HostRate = 0 },
	} {
		u := figure3(8)
		change(&u)
		if _, err := u.Bounds(); err == nil {
			t.Errorf("%+v was accepted", u)
		}
	}
}

func TestPackets(t *testing.T) {
	near(t, "10 ms of a 400 Gbps link", Packets(400*unit.Gbps, 10*unit.Millisecond, 4096), 122070.3125, 1e-6)
	near(t, "70 µs of it", Packets(400*unit.Gbps, 70*unit.Microsecond, 4096), 854.49, 0.01)
}

func TestAckOverhead(t *testing.T) {
	near(t, "4 KiB", AckOverhead(64, 4096, 1), 0.015625, 0)
	near(t, "8 KiB", AckOverhead(64, 8192, 1), 0.0078125, 0)
	near(t, "4 KiB, 16:1", AckOverhead(64, 4096, 16), 0.015625/16, 0)
}
