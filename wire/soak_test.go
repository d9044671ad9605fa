package wire_test

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"weft/wire"
)

var soak = flag.Duration("soak", 4*time.Second, "how long TestSoak runs; more than 9m needs -timeout too")

// TestSoak has endpoints exchange messages of all sizes for a while, plain and sealed, while messages are given up, endpoints
// are closed and opened again, and strangers send copies, damaged datagrams and noise. Each message ends once; what ends well
// was delivered once, and unchanged. In rounds, all comes to rest: then the memory must be what it was. In the end no
// goroutine and no file is left.
func TestSoak(t *testing.T) {
	if deadline, ok := t.Deadline(); ok && time.Until(deadline) < *soak+time.Minute {
		t.Fatalf("the test would be stopped before %v are over; add -timeout 0", *soak)
	}
	warm := open(t, wire.Config{}) // so that what the runtime keeps for sockets is there
	if err := warm.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	files := openFiles(t)
	known := goleak.IgnoreCurrent()
	s := newSoaker(t)
	s.run(*soak)
	s.close()
	if err := goleak.Find(known); err != nil {
		t.Error(err)
	}
	if left := openFiles(t); left != files {
		t.Errorf("%d files are open, and were %d", left, files)
	}
	s.report(t)
}

// openFiles counts the files of this process, where the system tells.
func openFiles(t *testing.T) int {
	if runtime.GOOS != "linux" {
		return 0
	}
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

const (
	soakMembers = 3 // of a family
	soakWorkers = 5
	// mostRound is how long a round takes at most. What is kept of its messages is compared at its end.
	mostRound = 5 * time.Second
	// unsettled is how long after a restart both sides may give each other up once more: hellos that cross name other pairings.
	unsettled = 5 * time.Second
	// patience is for what has to happen, on a machine that is busy.
	patience = time.Minute
)

// soaker is all that takes part.
type soaker struct {
	t        *testing.T
	families []*family
	heap     []uint64 // at the ends of rounds
	ops      soakCounts
	restarts atomic.Int64
	strays   atomic.Int64
}

// soakCounts are of operations by how they ended.
type soakCounts struct{ well, gaveUp, parted atomic.Int64 }

// family is endpoints that have one secret, or none.
type family struct {
	*soaker
	secret  []byte
	members []*member
	seen    recent
}

func newSoaker(t *testing.T) *soaker {
	s := &soaker{t: t}
	for _, secret := range []string{"", "what both know"} {
		f := &family{soaker: s, secret: []byte(secret)}
		for i := range soakMembers {
			f.members = append(f.members, f.newMember(byte(i)))
		}
		s.families = append(s.families, f)
	}
	return s
}

// run runs rounds.
func (s *soaker) run(long time.Duration) {
	round := min(mostRound, long/8)
	for began := time.Now(); time.Since(began) < long && !s.t.Failed(); {
		ctx, cancel := context.WithTimeout(s.t.Context(), round)
		var all sync.WaitGroup
		for _, f := range s.families {
			for w := range soakWorkers {
				all.Go(func() { f.work(ctx, uint16(w)) })
			}
			all.Go(func() { f.restart(ctx) })
			all.Go(func() { f.throw(ctx) })
		}
		s.within("a round ends", func() bool {
			all.Wait()
			return true
		})
		cancel()
		for _, f := range s.families {
			for _, m := range f.members {
				s.within("what was confirmed is delivered", m.now().settled)
				m.forget()
			}
		}
		s.heap = append(s.heap, heapNow())
	}
}

// within fails the test if something does not come true in time.
func (s *soaker) within(what string, done func() bool) {
	over := make(chan struct{})
	stuck := time.AfterFunc(2*patience, func() {
		stacks := make([]byte, 1<<20)
		panic(fmt.Sprintf("for long it is not so that %s:\n%s", what, stacks[:runtime.Stack(stacks, true)]))
	})
	defer stuck.Stop()
	go func() {
		defer close(over)
		for !done() {
			time.Sleep(time.Millisecond)
		}
	}()
	<-over
}

// heapNow is what is alive.
func heapNow() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // what has a finalizer goes in the second
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// close closes all endpoints.
func (s *soaker) close() {
	for _, f := range s.families {
		for _, m := range f.members {
			ctx, cancel := context.WithTimeout(context.Background(), patience)
			if err := m.now().e.Close(ctx); err != nil {
				s.t.Errorf("close: %v", err)
			}
			cancel()
		}
	}
}

// report compares the memory of the quarters, and tells what was done.
func (s *soaker) report(t *testing.T) {
	n := len(s.heap) / 4
	if n == 0 {
		t.Fatalf("only %d rounds", len(s.heap))
	}
	var least [4]uint64
	for q := range least {
		least[q] = slices.Min(s.heap[q*n : (q+1)*n])
	}
	t.Logf("%d messages ended well, %d were given up, %d had their peer or their endpoint closed; %d restarts, %d strays; memory at rest by quarters, in kB: %d %d %d %d",
		s.ops.well.Load(), s.ops.gaveUp.Load(), s.ops.parted.Load(), s.restarts.Load(), s.strays.Load(), least[0]/1000, least[1]/1000, least[2]/1000, least[3]/1000)
	for q := 1; q < 4; q++ {
		// What a member had sent in part before it was closed is held until it is back.
		if most := least[0] + least[0]/10 + 4_000_000; least[q] > most {
			t.Errorf("quarter %d begins to hold %d B, and the first held %d B", q+1, least[q], least[0])
		}
	}
	if s.ops.well.Load() == 0 || s.ops.gaveUp.Load() == 0 || s.restarts.Load() == 0 || s.strays.Load() == 0 {
		t.Error("that is too little to tell anything")
	}
}

// work sends and calls until a round is over.
func (f *family) work(ctx context.Context, worker uint16) {
	r := rand.New(rand.NewPCG(rand.Uint64(), uint64(worker)))
	for ctx.Err() == nil && !f.t.Failed() {
		at := r.IntN(len(f.members))
		from, to := f.members[at].now(), f.members[(at+1+r.IntN(len(f.members)-1))%len(f.members)]
		short, cancel := context.WithTimeout(f.t.Context(), patience)
		hasty := r.IntN(4) == 0
		if hasty {
			short, cancel = context.WithTimeout(f.t.Context(), time.Duration(r.IntN(20_000))*time.Microsecond)
		}
		before := to.now()
		met := from.hasMet(before)
		m, call := newMessage(r), r.IntN(2) == 0
		err := f.exchange(short, from, to, m, call)
		cancel()
		after := to.now()
		switch {
		case err == nil:
			f.ops.well.Add(1)
			if before == after {
				before.confirmed(m)
				from.meet(before)
			}
		case hasty && errors.Is(err, context.DeadlineExceeded):
			f.ops.gaveUp.Add(1)
		case from.closing.Load() || before.closing.Load() || before != after || !met || min(time.Since(from.began), time.Since(before.began)) < unsettled:
			f.ops.parted.Add(1)
			if !errors.Is(err, wire.ErrRestarted) && !errors.Is(err, wire.ErrSilent) && !errors.Is(err, wire.ErrClosed) && !errors.Is(err, wire.ErrRefused) {
				f.t.Errorf("a message of or to an endpoint that was closed ends with: %v", err)
			}
		default:
			f.t.Errorf("a message of %d B, sealed %v, request %v, ends with: %v; its endpoint is open for %v, and its peer for %v\n%+v\n%+v", len(m.body), len(f.secret) > 0,
				call, err, time.Since(from.began), time.Since(before.began), from.e.Stats(), before.e.Stats())
		}
	}
}

// exchange sends a message, or calls with it.
func (f *family) exchange(ctx context.Context, from *life, to *member, m message, call bool) error {
	p, err := from.peer(ctx, to.addr)
	if err != nil {
		return err
	}
	if !call {
		return p.Send(ctx, m.body)
	}
	reply, err := p.Call(ctx, m.body)
	if err == nil && !slices.Equal(reply, m.answer()) {
		f.t.Errorf("the reply to %d B has %d B, and is not what was asked for", len(m.body), len(reply))
	}
	return err
}

// restart closes members, and opens them again, some at once and some after a while.
func (f *family) restart(ctx context.Context) {
	for wait := time.Duration(0); ; wait = time.Duration(rand.IntN(1500)) * time.Millisecond {
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait / 2):
		}
		m := f.members[rand.IntN(len(f.members))]
		old := m.now()
		old.closing.Store(true)
		// Half of them give up at once what is under way.
		patient, cancel := context.WithTimeout(context.Background(), time.Duration(rand.IntN(2))*time.Second)
		if err := old.e.Close(patient); err != nil && patient.Err() == nil {
			f.t.Errorf("close: %v", err)
		}
		cancel()
		if !old.settled() {
			f.t.Error("an endpoint that is closed has not handled all that it confirmed")
		}
		time.Sleep(wait / 10)
		m.begin()
		f.restarts.Add(1)
	}
}

// newMember opens an endpoint at a port that no other is given by the system.
func (f *family) newMember(i byte) *member {
	m := &member{family: f, id: wire.ID{cmp.Or(i, 100), byte(len(f.secret))}}
	for port := 20_000 + rand.IntN(5000); port < 32_000; port++ {
		m.addr = fmt.Sprintf("127.0.0.1:%d", port)
		if l, err := m.open(); err == nil {
			m.life.Store(l)
			return m
		}
	}
	f.t.Fatal("no port is free")
	return nil
}
