package carrier

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"weft/unit"
	"weft/wire/internal/lan"
)

var (
	roughly = flag.Int("messages", 0, "how many messages TestRough sends over the transport alone; 0 is some over each")
	roughBy = flag.String("transport", "sird", "the transport of these")
)

// TestRough sends messages among hosts over a network that loses, repeats, reorders and breaks datagrams, while endpoints are
// killed and started again: each message ends once, none comes twice to one life of its receiver, none comes changed, and no
// memory is held in the end.
func TestRough(t *testing.T) {
	each := 600
	if testing.Short() {
		each = 300
	}
	list := slices.Concat(carried, others)
	if *roughly > 0 {
		each, list = *roughly, []string{*roughBy}
	}
	for _, name := range list {
		for mode, change := range modes {
			t.Run(name+" "+mode, func(t *testing.T) { rough(t, each, over(t, name, ""), change) })
		}
	}
}

func rough(t *testing.T, messages int, changes ...func(*Config)) {
	const hosts = 5
	tapes := &replays{t: t}
	quick := func(c *Config) {
		c.Silence = 200 * unit.Millisecond
		for _, f := range changes {
			f(c)
		}
		c.Record = tapes.record(c.Name)
	}
	w := newWorld(t, hosts, lan.Faults{Loss: 0.1, Duplicate: 0.05, Corrupt: 0.02, Reorder: 0.1, ReorderBy: 50 * unit.Microsecond}, quick)
	r := rand.New(rand.NewPCG(1, 2))
	type sent struct {
		end    *end
		handle uint64
		to     int
		body   [16]byte
	}
	var list []sent
	known := map[[16]byte]bool{} // digests of bodies
	type once struct {
		life uint64 // of the receiver
		body [16]byte
	}
	seen := map[once]bool{}
	delivered := map[[16]byte]bool{}
	watch := func(i int) {
		life := w.lives
		w.ends[i].heed = func(_ *end, v Event) {
			if v.Kind != Arrived {
				return
			}
			d := digest(v.Message.Body)
			if seen[once{life, d}] {
				t.Errorf("a message came twice to life %d", life)
			}
			seen[once{life, d}] = true
			delivered[d] = true
		}
	}
	for i := range hosts {
		watch(i)
	}
	peers := map[[2]int]*Peer{}
	number := 0
	var dead []*end
	for number < messages {
		from, to := r.IntN(hosts), r.IntN(hosts)
		if from == to {
			continue
		}
		p := peers[[2]int{from, to}]
		if p == nil || p.Gone() {
			e := w.ends[from]
			h := e.Dial(w.Now(), w.address(to))
			w.Stir(e.addr)
			for range 3000 {
				w.Run(w.Now() + 100*unit.Microsecond)
				if q := e.byID[ID{byte(to + 1)}]; q != nil && q.session != nil && len(e.dials) == 0 {
					peers[[2]int{from, to}] = q
					break
				}
				if e.failed[h] != nil {
					break
				}
			}
			continue
		}
		number++
		b := append([]byte(fmt.Sprintf("message %d ", number)), body(uint64(number), int(r.ExpFloat64()*8000))...)
		known[digest(b)] = true
		h, err := w.ends[from].Submit(w.Now(), p, OneWay, 0, b)
		if err != nil {
			continue // the peer went this instant
		}
		w.ends[from].collect()
		w.Stir(w.ends[from].addr)
		list = append(list, sent{w.ends[from], h, to, digest(b)})
		if r.IntN(20) == 0 {
			w.ends[from].Cancel(w.Now(), h, errGivenUp)
			w.ends[from].collect()
		}
		w.Run(w.Now() + unit.Time(r.ExpFloat64()*float64(20*unit.Microsecond)))
		if r.IntN(messages/8) == 0 {
			i := r.IntN(hosts)
			w.Remove(w.address(i))
			w.ends[i].Close(w.Now())
			w.ends[i].collect()
			dead = append(dead, w.ends[i])
			w.Run(w.Now() + unit.Time(r.IntN(50))*unit.Millisecond)
			w.start(i, quick)
			watch(i)
			for pair := range peers {
				if pair[0] == i {
					delete(peers, pair)
				}
			}
		}
	}
	w.Run(w.Now() + 20*unit.Second)
	ended, ok, why := 0, 0, map[error]int{}
	for _, s := range list {
		err, done := s.end.ended[s.handle]
		why[err]++
		if done {
			ended++
		}
		if done && err == nil {
			ok++
			if !delivered[s.body] {
				t.Errorf("a message is confirmed and never came")
			}
		}
	}
	if ended != len(list) {
		t.Errorf("of %d messages %d ended", len(list), ended)
	}
	// A restart ends all that waits, which is much where the control is slow at this loss.
	if odd := len(list) - why[nil] - why[ErrRestarted] - why[ErrClosed] - why[errGivenUp]; odd > len(list)/100 || ok < len(list)/3 {
		t.Errorf("of %d messages only %d were confirmed: %v", len(list), ok, why)
	}
	for body := range delivered {
		if !known[body] {
			t.Errorf("a message came changed")
		}
	}
	for i, e := range append(w.ends, dead...) {
		if e.twice {
			t.Errorf("%d: a message ended twice", i)
		}
		if i < hosts && (e.held != 0 || len(e.byHandle) != 0 || len(e.outgoing) != 0 || len(e.incoming) != 0) {
			t.Errorf("%d holds %v of messages that arrive in %d, and %d of its own, %d by handles", i, e.held, len(e.incoming), len(e.outgoing), len(e.byHandle))
		}
		if err := e.host.Check(); err != nil {
			t.Errorf("%d: %v", i, err)
		}
	}
	t.Logf("%d calls replayed", tapes.finish())
	t.Logf("%d of %d confirmed, %v, %d lives, %+v", ok, len(list), why, w.lives, w.Counts())
}
