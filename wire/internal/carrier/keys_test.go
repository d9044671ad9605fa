package carrier

import (
	"testing"

	"weft/unit"
	"weft/wire/internal/codec"
	"weft/wire/internal/lan"
)

// exchange has two endpoints send each other messages, and checks that all arrive and that nobody is given up.
func exchange(t *testing.T, w *world, peers [2]*Peer, count, size int) {
	t.Helper()
	var handles [2][]uint64
	for i := range count {
		for k := range 2 {
			handles[k] = append(handles[k], w.submit(k, peers[k], body(uint64(i), size)))
		}
		w.Run(w.Now() + 20*unit.Microsecond)
	}
	w.Run(w.Now() + 10*unit.Second)
	for k, e := range w.ends {
		for _, h := range handles[k] {
			if err, done := e.ended[h]; !done || err != nil {
				t.Fatalf("a message of end %d ended %v: %v", k, done, err)
			}
		}
		if peers[k].Gone() {
			t.Errorf("end %d has given its peer up", k)
		}
	}
}

// pair connects two endpoints, and returns what each has of the other.
func (w *world) pair() [2]*Peer {
	w.t.Helper()
	p := w.connect(0, 1)
	w.Run(w.Now() + unit.Millisecond)
	if len(w.ends[1].peers) != 1 {
		w.t.Fatalf("the one that was asked knows %d peers", len(w.ends[1].peers))
	}
	return [2]*Peer{p, w.ends[1].peers[0]}
}

// TestKeysRotate goes to new keys each few hundred datagrams, bytes or microseconds, over networks that lose, repeat and reorder: all
// messages arrive. Where questions whether a key came are lost, new sessions may follow, since so few datagrams are allowed.
func TestKeysRotate(t *testing.T) {
	const never = 1 << 60
	for name, limits := range map[string]keyLimits{
		"datagrams": {200, never, unit.Forever, unit.Second, renewFrom},
		"bytes":     {never, 300_000, unit.Forever, unit.Second, renewFrom},
		"age":       {never, never, 500 * unit.Microsecond, unit.Second, renewFrom},
	} {
		for kind, faults := range map[string]lan.Faults{
			"clean": {},
			"rough": {Loss: 0.05, Duplicate: 0.05, Reorder: 0.1, ReorderBy: 20 * unit.Microsecond},
			"lossy": {Loss: 0.3},
		} {
			t.Run(name+" "+kind, func(t *testing.T) {
				w := newWorld(t, 2, lan.Faults{}, modes["sealed"], func(c *Config) { c.limits = limits })
				peers := w.pair()
				w.SetFaults(faults)
				exchange(t, w, peers, 250, 20_000)
				for i, e := range w.ends {
					if e.Counts.Rotated < 2 {
						t.Errorf("end %d went to new keys %d times", i, e.Counts.Rotated)
					}
					if kind == "clean" && (len(e.sessions) != 1 || e.Counts.Unsealed > 0 || e.Counts.Lost > 0) {
						t.Errorf("end %d has %d sessions, could not open %d datagrams, and missed %d", i, len(e.sessions), e.Counts.Unsealed, e.Counts.Lost)
					}
				}
			})
		}
	}
}

// TestLateKeys has datagrams of the last key arrive after the new one is in use: they open for the time that late gives, and not after.
func TestLateKeys(t *testing.T) {
	w := newWorld(t, 2, lan.Faults{}, modes["sealed"])
	peers := w.pair()
	from, to := peers[0].session, w.ends[1]
	seal := func() []byte {
		b, err := from.keys.Seal(nil, from.head(codec.Pong), nil)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	early, late := seal(), seal()
	if err := from.keys.Rotate(); err != nil {
		t.Fatal(err)
	}
	unsealed, now := to.Counts.Unsealed, w.Now()
	arrive := func(b []byte, want bool) {
		t.Helper()
		unsealed = to.Counts.Unsealed
		if to.Arrive(now, w.address(0), b, false); (to.Counts.Unsealed == unsealed) != want {
			t.Errorf("it opens: %v", !want)
		}
	}
	forged := seal()
	forged[9] ^= 0x80
	arrive(forged, false)
	if peers[1].session.keys.Followed() != 0 {
		t.Error("a forged phase has the receiver follow")
	}
	arrive(seal(), true)
	now += latestOldKey - 1
	arrive(early, true)
	now++
	arrive(late, false)
	arrive(seal(), true)
}

// TestForgedPhases floods a session with datagrams that claim the other phase: none is taken, and the messages go on.
func TestForgedPhases(t *testing.T) {
	w := newWorld(t, 2, lan.Faults{}, modes["sealed"], func(c *Config) {
		c.limits = keyLimits{200, 1 << 60, unit.Forever, unit.Second, renewFrom}
	})
	peers := w.pair()
	flood := func() {}
	number := uint64(1)
	flood = func() {
		for k, e := range w.ends {
			b := codec.AppendHead(nil, codec.Head{Type: codec.Packet, Session: peers[k].session.own, Number: number % 4000, Phase: uint8(number & 1)})
			e.Arrive(w.Now(), w.address(1-k), append(b, body(number, 100)...), false)
		}
		if number++; number < 20_000 {
			w.At(w.Now()+unit.Microsecond, flood)
		}
	}
	w.At(w.Now(), flood)
	exchange(t, w, peers, 250, 20_000)
	for i, e := range w.ends {
		if e.Counts.Rotated < 5 || len(e.sessions) != 1 || e.Counts.Lost > 0 {
			t.Errorf("end %d went to new keys %d times, in %d sessions, and missed %d datagrams", i, e.Counts.Rotated, len(e.sessions), e.Counts.Lost)
		}
	}
}

// TestNumbersEnd has a session come near its last number, on one side or both: the peers agree on a new one, and no message ends.
func TestNumbersEnd(t *testing.T) {
	for sides := 1; sides <= 2; sides++ {
		w := newWorld(t, 2, lan.Faults{}, modes["sealed"])
		peers := w.pair()
		w.SetFaults(lan.Faults{Loss: 0.05, Reorder: 0.1, ReorderBy: 20 * unit.Microsecond})
		for _, p := range peers[:sides] {
			p.session.number = renewFrom - 1000
		}
		exchange(t, w, peers, 250, 20_000)
		for i, p := range peers {
			if p.session.number > 1<<30 {
				t.Errorf("%d sides: end %d still counts %d", sides, i, p.session.number)
			}
		}
	}
}

// TestNumbersOut has a session without any number left, and a peer that answers no hello: what it sends ends, and nothing breaks.
func TestNumbersOut(t *testing.T) {
	w := newWorld(t, 2, lan.Faults{}, modes["sealed"], func(c *Config) { c.limits = keyLimits{1 << 60, 1 << 60, unit.Forever, unit.Second, codec.MaxNumber} })
	peers := w.pair()
	peers[0].session.number = codec.MaxNumber - 3
	w.ends[1].cfg.Peers = 0 // it has room for nobody else
	w.ends[1].byID = map[ID]*Peer{}
	h := w.submit(0, peers[0], body(1, 100_000))
	w.Run(w.Now() + 10*unit.Second)
	if err, done := w.ends[0].ended[h]; !done || err != ErrSilent {
		t.Errorf("ended %v: %v", done, err)
	}
}
