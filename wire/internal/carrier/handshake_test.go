package carrier

import (
	"errors"
	"testing"

	"weft/unit"
	"weft/wire/internal/codec"
	"weft/wire/internal/lan"
)

// TestMismatch has peers dial each other that cannot understand each other: the dial ends with the reason, and neither keeps
// anything.
func TestMismatch(t *testing.T) {
	for name, other := range map[string]func(*Config){
		"transport": func(c *Config) { c.TransportHash = 2 },
		"datagram":  func(c *Config) { c.Datagram = 1400 },
	} {
		for mode, sealed := range modes {
			t.Run(name+" "+mode, func(t *testing.T) {
				w := newWorld(t, 1, lan.Faults{}, sealed, func(c *Config) { c.TransportHash = 1 })
				w.ends = append(w.ends, nil)
				w.start(1, sealed, func(c *Config) { c.TransportHash = 1 }, other)
				for from := range 2 {
					e := w.ends[from]
					h := e.Dial(w.Now(), w.address(1-from))
					w.Stir(e.addr)
					w.Run(w.Now() + 100*unit.Millisecond)
					if err := e.failed[h]; !errors.Is(err, ErrMismatch) {
						t.Errorf("the dial ended with %v", err)
					}
				}
				for i, e := range w.ends {
					if len(e.sessions) != 0 || len(e.byID) != 0 || e.Counts.Mismatched == 0 {
						t.Errorf("%d has %d sessions and %d peers, %+v", i, len(e.sessions), len(e.byID), e.Counts)
					}
				}
			})
		}
	}
}

// TestForgotten has one side give the other up, which does not notice: what is sent after they met again arrives.
func TestForgotten(t *testing.T) {
	for mode, set := range modes {
		t.Run(mode, func(t *testing.T) {
			w := newWorld(t, 2, lan.Faults{}, set)
			p := w.connect(0, 1)
			for i := range 3 {
				w.submit(0, p, body(uint64(i), 1000))
				w.Run(w.Now() + 10*unit.Millisecond)
			}
			w.SetFaults(lan.Faults{Loss: 1})
			h := w.submit(0, p, body(9, 1000))
			w.Run(w.Now() + 3*unit.Second)
			if err := w.ends[0].ended[h]; !errors.Is(err, ErrSilent) {
				t.Fatalf("a message to nowhere ended with %v", err)
			}
			w.SetFaults(lan.Faults{})
			p = w.connect(0, 1)
			h = w.submit(0, p, body(10, 1000))
			w.Run(w.Now() + 100*unit.Millisecond)
			if err, done := w.ends[0].ended[h]; !done || err != nil || len(w.ends[1].arrived) != 4 {
				t.Errorf("ended %v: %v; %d came", done, err, len(w.ends[1].arrived))
			}
		})
	}
}

// TestCrossing has both sides dial at once over a network that loses and reorders: they meet once, and nothing ends.
func TestCrossing(t *testing.T) {
	for mode, set := range modes {
		t.Run(mode, func(t *testing.T) {
			for seed := range uint64(40) {
				w := newWorld(t, 2, lan.Faults{Loss: 0.2, Duplicate: 0.1, Reorder: 0.3, ReorderBy: 30 * unit.Microsecond}, set, func(c *Config) { c.Seed[5] = byte(seed) })
				restarted := false
				for i, e := range w.ends {
					e.heed = func(_ *end, v Event) { restarted = restarted || v.Kind == Parted }
					e.Dial(w.Now(), w.address(1-i))
					w.Stir(e.addr)
				}
				w.Run(w.Now() + unit.Second)
				var handles [2]uint64
				for i, e := range w.ends {
					p := e.byID[ID{byte(2 - i)}]
					if p == nil || len(e.byID) != 1 || len(e.dials) != 0 {
						t.Fatalf("seed %d: end %d knows %d peers, and asks %d", seed, i, len(e.byID), len(e.dials))
					}
					handles[i] = w.submit(i, p, body(seed, 5000))
				}
				w.Run(w.Now() + unit.Second)
				for i, e := range w.ends {
					if err, done := e.ended[handles[i]]; !done || err != nil || restarted {
						t.Errorf("seed %d: the message of end %d ended %v: %v; a peer was given up: %v", seed, i, done, err, restarted)
					}
				}
			}
		})
	}
}

// TestSettings has endpoints with a secret, with another one and without dial each other: nobody meets anybody, and none takes
// packets that are not sealed by its secret.
func TestSettings(t *testing.T) {
	secrets := []string{"", "what both know", "another"}
	w := newWorld(t, 0, lan.Faults{})
	for i, secret := range secrets {
		w.ends = append(w.ends, nil)
		w.start(i, func(c *Config) { c.Secret = []byte(secret) })
	}
	for from := range secrets {
		for to := range secrets {
			if from != to {
				w.ends[from].Dial(w.Now(), w.address(to))
				w.Stir(w.ends[from].addr)
			}
		}
	}
	w.Run(w.Now() + 3*unit.Second)
	for i, e := range w.ends {
		if len(e.sessions) != 0 || len(e.byID) != 0 || len(e.failed) != 2 || e.Counts.Unsealed == 0 {
			t.Errorf("the end with secret %q has %d sessions and %d peers; %v", secrets[i], len(e.sessions), len(e.byID), e.failed)
		}
	}
}

// TestPlainPackets checks that an endpoint with a secret takes nothing plain in a session that is sealed, not even in one whose peer
// has not shown the secret yet.
func TestPlainPackets(t *testing.T) {
	w := newWorld(t, 2, lan.Faults{}, modes["sealed"])
	w.connect(0, 1)
	e := w.ends[1]
	for _, s := range e.sessions {
		s.peer.heard = -1
		for _, typ := range []codec.Type{codec.Packet, codec.Refusal, codec.Ping, codec.Pong} {
			unsealed := e.Counts.Unsealed
			e.Arrive(w.Now(), w.address(0), summed(codec.AppendHead(nil, codec.Head{Type: typ, Session: s.own, Number: 1 << 30})), false)
			if e.Counts.Unsealed != unsealed+1 || s.peer.heard != -1 {
				t.Errorf("a plain %v is taken: %+v", typ, e.Counts)
			}
		}
	}
	if len(e.sessions) == 0 {
		t.Error("there is no session")
	}
}

// TestDialTime checks how long a dial takes where much is lost: a few times the least wait, and never a multiple of the longest.
func TestDialTime(t *testing.T) {
	for mode, set := range modes {
		var sum, most unit.Time
		const dials = 60
		for seed := range byte(dials) {
			w := newWorld(t, 2, lan.Faults{}, set, func(c *Config) { c.Seed[7] = seed })
			w.Run(unit.Time(seed) * unit.Microsecond)
			w.SetFaults(lan.Faults{Loss: 0.3})
			e, began := w.ends[0], w.Now()
			var took unit.Time
			e.heed = func(_ *end, v Event) {
				if v.Kind == Connected {
					took = w.Now() - began
				}
			}
			e.Dial(began, w.address(1))
			w.Stir(e.addr)
			if w.Run(began + 2*unit.Second); took == 0 {
				t.Fatalf("%s, seed %d: it does not connect", mode, seed)
			}
			sum, most = sum+took, max(most, took)
		}
		if mean := sum / dials; mean > 50*unit.Millisecond || most > 500*unit.Millisecond {
			t.Errorf("%s: a dial takes %v, and at most %v", mode, mean, most)
		}
	}
}

// TestHellosInVain counts how often hello is said to who is not there: more seldom each time.
func TestHellosInVain(t *testing.T) {
	w := newWorld(t, 1, lan.Faults{})
	e := w.ends[0]
	h := e.Dial(0, w.address(1))
	w.Stir(e.addr)
	for _, c := range []struct {
		at   unit.Time
		want uint64
	}{{9, 1}, {11, 2}, {29, 2}, {31, 3}, {69, 3}, {71, 4}, {1271, 8}, {2000, 8}} {
		if w.Run(c.at * unit.Millisecond); e.Counts.Sent != c.want {
			t.Errorf("after %v ms it has said hello %d times", int64(c.at), e.Counts.Sent)
		}
	}
	if err := e.failed[h]; !errors.Is(err, ErrSilent) {
		t.Errorf("the dial ended with %v", err)
	}
}

// TestReplacedByAnother kills an endpoint in the midst of a message, and begins one with another ID at its address: the message ends
// long before the silence is over, and the next dial reaches the new one.
func TestReplacedByAnother(t *testing.T) {
	for mode, change := range modes {
		w := newWorld(t, 2, lan.Faults{}, change)
		p := w.connect(0, 1)
		h := w.submit(0, p, body(1, 50_000_000))
		w.Run(w.Now() + unit.Millisecond)
		w.Remove(w.ends[1].addr)
		w.start(1, change, func(c *Config) { c.ID[5] = 1 })
		began := w.Now()
		for range 100 {
			w.Run(w.Now() + unit.Millisecond)
			if _, done := w.ends[0].ended[h]; done {
				break
			}
		}
		if err, done := w.ends[0].ended[h]; !done || !errors.Is(err, ErrRestarted) {
			t.Errorf("%s: %v after, the message ended %v: %v", mode, w.Now()-began, done, err)
		}
		if q := w.connect(0, 1); q == p || q.ID == p.ID {
			t.Errorf("%s: it is the old peer that is reached", mode)
		}
	}
}
