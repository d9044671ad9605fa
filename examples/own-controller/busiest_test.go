package main

import (
	"context"
	"testing"

	"weft"
	"weft/protocol"
	"weft/unit"
)

const us = unit.Microsecond

// control returns the sender of a connection and the meter of a queue, of links of 100 Gb/s, with the
// defaults of the options.
func control(t *testing.T) (*sender, *meter) {
	t.Helper()
	entry := busiest()
	o, err := entry.Defaults()
	if err != nil {
		t.Fatal(err)
	}
	c, err := entry.Build(o)
	if err != nil {
		t.Fatal(err)
	}
	s := c.New(protocol.Env{LineRate: 100 * unit.Gbps, BaseRTT: 5 * us}).(*sender)
	s.Start(0)
	return s, c.Controller.New(protocol.QueueEnv{Rate: 100 * unit.Gbps}).(*meter)
}

// TestMeter has 150 kB come within a period of 125 kB, and then nothing.
func TestMeter(t *testing.T) {
	_, m := control(t)
	for range 100 {
		m.Arrived(0, 1500, nil)
	}
	if m.Settled() {
		t.Error("settled before the end of a period")
	}
	m.Tick(10*us, 25_000)
	for carried, want := range map[uint64]uint64{0: unity * 14 / 10, 2 * unity: 2 * unity} {
		f := protocol.Field{carried}
		if m.Left(11*us, 1500, &f); f[0] != want {
			t.Errorf("%d becomes %d, want %d", carried, f[0], want)
		}
	}
	if m.Tick(20*us, 0); !m.Settled() || m.load != 0 {
		t.Errorf("load %d of an idle queue", m.load)
	}
}

// TestRate steps the sender through an overload, a load that it may not act on yet, and an idle path.
func TestRate(t *testing.T) {
	s, _ := control(t)
	hear := func(now unit.Time, load uint64) unit.Rate {
		s.Acked(&protocol.Ack{Now: now, Fielded: true, Field: protocol.Field{load}})
		return s.Pace().Rate
	}
	for _, step := range []struct {
		at   unit.Time
		load uint64
		want unit.Rate
	}{{10, 19 * unity / 10, 50_500}, {24, 19 * unity / 10, 50_500}, {25, 0, 100_000}} {
		if got := hear(step.at*us, step.load); got/unit.Mbps != step.want {
			t.Errorf("at %d us: %v, want %d Mb/s", step.at, got, step.want)
		}
	}
}

// TestRunsBesideTheBuiltIn runs the example's scenario. Senders that know the load of the queue share it,
// and no message takes much longer than the others.
func TestRunsBesideTheBuiltIn(t *testing.T) {
	reg := weft.Builtin()
	if err := reg.Congestion.Add(busiest()); err != nil {
		t.Fatal(err)
	}
	file, err := weft.Load("scenario.yaml", reg)
	if err != nil {
		t.Fatal(err)
	}
	if len(file.Variants) != 3 {
		t.Fatalf("%d variants, want 3", len(file.Variants))
	}
	for _, s := range file.Variants {
		result, err := weft.Run(context.Background(), s)
		if err != nil {
			t.Fatal(err)
		}
		if n := result.Summary.Unfinished; n > 0 {
			t.Errorf("%s: %d messages unfinished", s.Variant, n)
		}
		t.Log(s.Variant, result.Summary.FCT.P50, result.Summary.FCT.Max)
		if fct := result.Summary.FCT; s.Variant == "busiest" && float64(fct.P50) < 0.8*float64(fct.Max) {
			t.Errorf("messages take %v and %v", fct.P50, fct.Max)
		}
	}
}
