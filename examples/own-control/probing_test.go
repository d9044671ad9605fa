package main

import (
	"context"
	"testing"

	"weft"
	"weft/protocol"
	"weft/unit"
)

// control returns the control of a connection on a link of 100 Gb/s, with the defaults of its
// options.
func control(t *testing.T) (protocol.Congestion, protocol.Answerer) {
	t.Helper()
	entry := probing()
	o, err := entry.Defaults()
	if err != nil {
		t.Fatal(err)
	}
	c, err := entry.Build(o)
	if err != nil {
		t.Fatal(err)
	}
	p := c.New(protocol.Env{LineRate: 100 * unit.Gbps, BaseRTT: 5 * unit.Microsecond})
	p.Start(0)
	return p, c.NewAnswerer(protocol.HostEnv{})
}

// TestRate steps the control through a cut and two ticks of its timer.
func TestRate(t *testing.T) {
	const us = unit.Microsecond
	c, _ := control(t)
	p := c.(*prober)
	if p.Pace().Rate != 100*unit.Gbps || p.Deadline() != unit.Forever {
		t.Fatalf("begins at %v, with a tick at %v", p.Pace().Rate, p.Deadline())
	}
	p.Acked(&protocol.Ack{Now: 10 * us, Answered: true, Answer: protocol.Answer{16, 4}})
	if got, want := p.Pace().Rate, 87_500*unit.Mbps; got != want || p.Deadline() != 30*us {
		t.Errorf("after a cut by an eighth: %v, want %v, and a tick at %v", got, want, p.Deadline())
	}
	for p.Deadline() <= 50*us {
		p.Expire(p.Deadline())
	}
	if got, want := p.Pace().Rate, 89_500*unit.Mbps; got != want {
		t.Errorf("after two ticks: %v, want %v", got, want)
	}
}

// TestReports counts what the receiver says of 40 packets, of which the last 20 are marked.
func TestReports(t *testing.T) {
	_, a := control(t)
	peer := a.Open(0, 3, 0)
	var got []protocol.Answer
	for i := range 40 {
		a.Heard(&protocol.Heard{Peer: peer, Marked: i >= 20})
		if answer, ok := a.Answer(0, peer); ok {
			got = append(got, answer)
		}
	}
	if len(got) != 1 || got[0] != (protocol.Answer{16, 12}) {
		t.Errorf("reports %v, want one of 12 marked packets in 16", got)
	}
}

// TestRunsBesideTheBuiltIn runs the example's scenario.
func TestRunsBesideTheBuiltIn(t *testing.T) {
	reg := weft.Builtin()
	if err := reg.Congestion.Add(probing()); err != nil {
		t.Fatal(err)
	}
	file, err := weft.Load("scenario.yaml", reg)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range file.Variants {
		result, err := weft.Run(context.Background(), s)
		if err != nil {
			t.Fatal(err)
		}
		if n := result.Summary.Unfinished; n > 0 || result.Summary.ECNMarks == 0 {
			t.Errorf("%s: %d messages unfinished, %d marks", s.Variant, n, result.Summary.ECNMarks)
		}
	}
}
