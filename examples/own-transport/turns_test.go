package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"weft"
	"weft/protocol"
	"weft/protocol/hosttest"
	"weft/unit"
)

// control is the transport as a scenario has it that gives no options: the entry knows their
// defaults, but those of options that are added later.
func control() protocol.CongestionControl {
	entry := turns()
	defaults, err := entry.Defaults()
	if err != nil {
		panic(err)
	}
	c, err := entry.Build(defaults)
	if err != nil {
		panic(err)
	}
	return c
}

// open makes a host of the network that hosttest has.
func open(number, hosts int32, out *protocol.HostOutput) protocol.HostTransport {
	env := hosttest.Env(hosts)
	env.Host, env.Out = number, out
	return control().NewHost(env)
}

func lan(t *testing.T, hosts int32) *hosttest.LAN {
	l := hosttest.New(t, hosts, func(host int32, out *protocol.HostOutput) protocol.HostTransport { return open(host, hosts, out) })
	l.Header = func(*protocol.Packet) unit.Bytes { return hosttest.Env(hosts).Header }
	return l
}

// TestGrantsInTurn takes two messages through the first steps: a receiver grants a packet a
// time that one takes, to the messages in turn, and no more than a window.
func TestGrantsInTurn(t *testing.T) {
	var out protocol.HostOutput
	h := open(0, 3, &out)
	env := hosttest.Env(3)
	for peer := int32(1); peer <= 2; peer++ {
		first := protocol.Packet{Kind: kindData, Peer: peer, Size: unit.MB, Payload: env.Payload, Wire: env.Packet}
		if fresh := h.Receive(0, &first); fresh != env.Payload {
			t.Fatalf("%v of a first packet are fresh, expected %v", fresh, env.Payload)
		}
	}
	now, window := unit.Time(0), unit.Bytes(0)
	for n := 0; window+env.Packet <= 150*unit.KB; n++ {
		grants := hosttest.Drain(t, h, now, kindGrant)
		if len(grants) != 1 {
			t.Fatalf("%d grants at once at %v, expected one", len(grants), now)
		}
		if g, peer, offset := grants[0], int32(1+n%2), unit.Bytes(1+n/2)*env.Payload; g.Peer != peer || g.Offset != offset {
			t.Fatalf("grant %d goes to host %d for offset %v, expected host %d and %v", n, g.Peer, g.Offset, peer, offset)
		}
		window += env.Packet
		now += env.LineRate.Transmit(env.Packet)
	}
	if more := hosttest.Drain(t, h, now, kindGrant); len(more) > 0 {
		t.Errorf("%d grants above the window", len(more))
	}
	hosttest.Wake(t, h, now, now+200*unit.Microsecond)
	again := hosttest.Drain(t, h, now+200*unit.Microsecond, kindGrant)
	if len(again) != 1 {
		t.Fatalf("%d grants at once after a silence, expected one", len(again))
	}
	if again[0].Offset != env.Payload {
		t.Errorf("after a silence it grants offset %v, expected %v", again[0].Offset, env.Payload)
	}
}

// TestDelivers sends random messages over a network that loses, repeats and reorders packets.
func TestDelivers(t *testing.T) {
	for seed := range uint64(100) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 0))
			l := lan(t, 4)
			l.Fate = hosttest.Chance(rng, 0.2*rng.Float64(), 0.2*rng.Float64(), unit.Time(rng.IntN(int(10*unit.Microsecond))))
			l.Draw(func(_ string, least, most int) int { return least + rng.IntN(most-least+1) }, 2, [2]int{1, 3000}, [2]int{1, 300_000})
			l.Finish(unit.Second)
		})
	}
}

// TestRevival lets a host die and come back.
func TestRevival(t *testing.T) { lan(t, 3).CheckRevival() }

// TestNothingAllocated passes packets of long messages between two hosts.
func TestNothingAllocated(t *testing.T) {
	data := func(p *protocol.Packet) bool { return p.Kind == kindData }
	hosttest.CheckAllocations(t, 60*unit.Nanosecond, 10_000, data, func(host int32, out *protocol.HostOutput) protocol.HostTransport {
		return open(host, 2, out)
	})
}

// TestRunsBesideSIRD runs the example's scenario.
func TestRunsBesideSIRD(t *testing.T) {
	reg := weft.Builtin()
	if err := reg.Congestion.Add(turns()); err != nil {
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
		if n := result.Summary.Unfinished; n > 0 || result.Summary.Messages == 0 {
			t.Errorf("%s: %d of %d messages unfinished", s.Variant, n, result.Summary.Messages)
		}
	}
}
