package wire

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"weft/catalog"
	"weft/protocol"
	"weft/protocol/entropy"
	"weft/protocol/sird"
	"weft/unit"
	"weft/wire/internal/burst"
	"weft/wire/internal/codec"
	"weft/wire/internal/socket"
)

// faulty is a link with faults. It may be called by one endpoint at a time, as its lock has it.
type faulty struct {
	*socket.Bank
	burst func(datagrams [][]byte) (left [][]byte, err error)
	lost  func() bool
}

func (f *faulty) Send(port int, to netip.AddrPort, data []byte) error {
	if f.lost != nil && f.lost() {
		return nil
	}
	return f.Bank.Send(port, to, data)
}

func (f *faulty) SendBurst(port int, to netip.AddrPort, datagrams [][]byte) error {
	left, err := f.burst(datagrams)
	if err != nil {
		return &socket.RefusedError{To: to, Err: err}
	}
	if len(left) == 0 {
		return nil
	}
	return f.Bank.SendBurst(port, to, left)
}

// endpointOn opens an endpoint on a link with faults, and skips the test where there are no bursts.
func endpointOn(t *testing.T, c Config, f *faulty) *Endpoint {
	t.Helper()
	e, err := listen("127.0.0.1:0", c, func(b *socket.Bank) burst.Link {
		f.Bank = b
		return f
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = e.Close(ctx)
	})
	if off := e.Stats().Bursts.SendOff; off != "" {
		t.Skip(off)
	}
	return e
}

// faultyPair has a client send messages to a server until one of them finds that bursts die, or so many were sent.
// It returns how many were, and what became of bursts.
func faultyPair(t *testing.T, client, server *faulty, messages int) (sent int, c, s *Endpoint) {
	t.Helper()
	var got sync.WaitGroup
	body := bytes.Repeat([]byte("weft"), 20_000) // of which most takes credit
	s = endpointOn(t, Config{Rate: 2 * unit.Gbps, Handler: func(_ context.Context, m *Message) {
		if !bytes.Equal(m.Body, body) {
			t.Errorf("%d B came", len(m.Body))
		}
		got.Done()
	}}, server)
	c = endpointOn(t, Config{Rate: 2 * unit.Gbps}, client)
	p, err := c.Dial(t.Context(), s.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	for ; sent < messages && len(c.Stats().Bursts.Alone)+len(s.Stats().Bursts.Alone) == 0; sent++ {
		got.Add(1)
		if err := p.Send(t.Context(), body); err != nil {
			t.Fatal(err)
		}
	}
	// What goes alone comes.
	got.Add(1)
	if err := p.Send(t.Context(), body); err != nil {
		t.Fatal(err)
	}
	got.Wait()
	return sent, c, s
}

func sound(datagrams [][]byte) ([][]byte, error) { return datagrams, nil }

// TestBurstsThatDie: they are switched off, and messages come, whether data dies or the credit for it.
func TestBurstsThatDie(t *testing.T) {
	for name, dies := range map[string]func([][]byte) ([][]byte, error){
		"all of them":      func([][]byte) ([][]byte, error) { return nil, nil },
		"the last of each": func(d [][]byte) ([][]byte, error) { return d[:len(d)-1], nil },
	} {
		t.Run(name, func(t *testing.T) {
			sent, c, s := faultyPair(t, &faulty{burst: dies}, &faulty{burst: sound}, 5000)
			alone := c.Stats().Bursts.Alone
			if why := alone[s.Addr()]; len(alone) != 1 || !strings.Contains(why, "got no answer") {
				t.Fatalf("after %d messages %v", sent, alone)
			}
			t.Logf("%d messages, %d packets lost: %v", sent, c.Stats().Lost, alone)
		})
	}
	t.Run("those of credit", func(t *testing.T) {
		sent, c, s := faultyPair(t, &faulty{burst: sound}, &faulty{burst: func([][]byte) ([][]byte, error) { return nil, nil }}, 5000)
		if alone := s.Stats().Bursts.Alone; len(alone) != 1 {
			t.Fatalf("after %d messages %+v, and to the other side %+v", sent, alone, c.Stats().Bursts.Alone)
		}
		t.Logf("%d messages", sent)
	})
}

// TestBurstsThatAreRefused cost nothing but bursts.
func TestBurstsThatAreRefused(t *testing.T) {
	refuses := func([][]byte) ([][]byte, error) { return nil, errors.New("input/output error") }
	sent, c, s := faultyPair(t, &faulty{burst: refuses}, &faulty{burst: sound}, 5000)
	st := c.Stats()
	if len(st.Bursts.Alone) != 1 || !strings.Contains(st.Bursts.Alone[s.Addr()], "refused one: input/output error") || st.Bursts.Refused != 1 {
		t.Errorf("after %d messages %+v", sent, st.Bursts)
	}
	if sent != 1 {
		t.Errorf("it took %d messages", sent)
	}
}

// TestLossesAtRandom of a tenth of all datagrams leave bursts as they are.
func TestLossesAtRandom(t *testing.T) {
	lossy := func(seed uint64) *faulty {
		r := rand.New(rand.NewPCG(seed, 1))
		lost := func() bool { return r.IntN(10) == 0 }
		return &faulty{lost: lost, burst: func(d [][]byte) (left [][]byte, err error) {
			for _, one := range d {
				if !lost() {
					left = append(left, one)
				}
			}
			return left, nil
		}}
	}
	sent, c, s := faultyPair(t, lossy(1), lossy(2), 50)
	if a, b := c.Stats().Bursts, s.Stats().Bursts; len(a.Alone)+len(b.Alone) > 0 || a.Sent == 0 {
		t.Errorf("after %d messages %+v and %+v", sent, a, b)
	}
}

// TestBurstsEndWithRuns has all packets leave by one port, under a balancer of runs: no burst has packets of two runs, or more than
// Config.Burst.
func TestBurstsEndWithRuns(t *testing.T) {
	const run, most = 5, 3
	control, err := catalog.BuildDefault(sird.Entries(), "sird")
	if err != nil {
		t.Fatal(err)
	}
	ops, err := catalog.BuildDefault(entropy.Entries(), "ops")
	if err != nil {
		t.Fatal(err)
	}
	ops.Run = run
	c := Config{Rate: 2 * unit.Gbps, Ports: 1, Burst: most, Custom: &Custom{Name: "runs of 5", Control: control, Balancer: ops}}
	bursts := 0
	client := endpointOn(t, c, &faulty{burst: func(datagrams [][]byte) ([][]byte, error) {
		first, data := entropyIn(t, datagrams[0])
		for _, one := range datagrams[1:] {
			if e, _ := entropyIn(t, one); e != first {
				t.Errorf("a burst has entropies %d and %d", first, e)
			}
		}
		if data {
			if bursts++; len(datagrams) > most {
				t.Errorf("a burst has %d datagrams", len(datagrams))
			}
		}
		return datagrams, nil
	}})
	c.Handler = func(context.Context, *Message) {}
	server := endpointOn(t, c, &faulty{burst: sound})
	p, err := client.Dial(t.Context(), server.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		if err := p.Send(t.Context(), make([]byte, 80_000)); err != nil {
			t.Fatal(err)
		}
	}
	client.mu.Lock()
	defer client.mu.Unlock()
	if bursts == 0 {
		t.Error("no data left in bursts")
	}
}

// entropyIn returns the entropy of the packet in a datagram, and whether it has payload.
func entropyIn(t *testing.T, datagram []byte) (entropy uint16, data bool) {
	var p protocol.Packet
	h, body, err := codec.ParseHead(datagram)
	if err == nil && h.Type == codec.Packet {
		_, err = codec.ParsePacket(body[:len(body)-4], &p, new(protocol.More)) // without the checksum
	}
	if err != nil {
		t.Error(err)
	}
	return p.Entropy, p.Payload > 0
}
