package sim

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// Handler is the state of one domain: the entities whose events its scheduler
// holds. One goroutine at a time calls its methods.
type Handler interface {
	// Handle processes the event of e, due at now. It may schedule entities of its
	// own domain at now or later. What it sends to other domains must reach them at
	// least the engine's lookahead after now.
	Handle(e Entity, now Time)
	// Begin starts a window on the given worker. It takes over what other domains
	// sent during the last window, which had the other parity. It files what this
	// domain sends under this parity and worker. A worker runs one domain at a time.
	Begin(parity, worker int)
	// End ends a window that ran up to limit, excluding events at limit itself. It returns the
	// earliest time at which something sent during the window reaches its domain, or Forever.
	End(limit Time) Time
}

// Domain is a part of the system with a scheduler of its own.
type Domain struct {
	Scheduler *Scheduler
	Handler   Handler

	events   uint64
	exported Time
	sweeper  Sweeper // nil with an ordered scheduler
}

// advance handles all events before limit.
func (d *Domain) advance(limit Time) {
	s, h := d.Scheduler, d.Handler
	n := uint64(0)
	for {
		e, at, ok := s.Next(limit)
		if !ok {
			break
		}
		h.Handle(e, at)
		n++
	}
	d.events += n
}

// Engine advances domains together through windows no longer than the lookahead:
// the shortest time in which one domain can reach another. At the end of a window
// the domains hand over what they sent. A single thread runs the domains of a
// window one after another, so that a domain's working set stays in cache. Several
// threads share the domains. Results depend on neither threads nor windows.
type Engine struct {
	domains   []*Domain
	lookahead Time
	parity    int
	start     Time // of the current window
	end       Time
	sweeps    bool // some domain is swept
	windowed  bool // a single domain runs in windows, too
	expected  Time // latest start of the next window
	windows   uint64

	// Method values, allocated once.
	window, settle func(d *Domain, worker int)
}

// NewEngine returns an engine for the given domains. The lookahead must be positive
// unless there is only one domain, which does not use it.
func NewEngine(lookahead Time, domains []*Domain) *Engine {
	if lookahead <= 0 && len(domains) > 1 {
		panic("sim: several domains need a positive lookahead")
	}
	e := &Engine{domains: domains, lookahead: lookahead, expected: Forever}
	for _, d := range domains {
		d.exported = Forever
		if d.Scheduler.kind == Swept {
			d.sweeper = d.Handler.(Sweeper)
			e.sweeps = true
		}
	}
	e.window, e.settle = e.runWindow, e.collect
	return e
}

// KeepWindows makes a single domain run in windows of the lookahead, too, so that
// End and Begin of its handler are called between them.
func (e *Engine) KeepWindows() { e.windowed = true }

// Expect makes the next window begin at the given time or earlier, because a
// handler must act then although no event is due.
func (e *Engine) Expect(at Time) { e.expected = min(e.expected, at) }

// Events returns the number of events handled so far.
func (e *Engine) Events() uint64 {
	n := uint64(0)
	for _, d := range e.domains {
		n += d.events
	}
	return n
}

// Windows returns how many windows the domains have run through. Without
// KeepWindows, it stays 0 for a single domain with an ordered scheduler.
func (e *Engine) Windows() uint64 { return e.windows }

// Bound returns a time that no pending event precedes, or Forever if no event is pending. The
// system has then drained, unless the last window announced something to come (see Next).
func (e *Engine) Bound() Time {
	t := e.expected
	for _, d := range e.domains {
		t = min(t, d.Scheduler.Bound())
	}
	return t
}

// Run handles all events before until on the given number of threads. When it
// returns, nothing is in transit between domains.
func (e *Engine) Run(until Time, threads int) {
	if len(e.domains) == 1 && !e.sweeps && !e.windowed {
		e.domains[0].advance(until)
		return
	}
	threads = max(1, min(threads, len(e.domains)))
	var crew *crew // nil: this thread works alone
	if threads > 1 {
		crew = newCrew(e.domains, threads)
		defer crew.dismiss()
	}
	for next := e.Next(); next < until; {
		e.start, e.end = next, until
		if next < until-e.lookahead {
			e.end = next + e.lookahead
		}
		e.expected = Forever
		e.parity ^= 1
		e.windows++
		e.do(crew, e.window)
		next = e.Next()
	}
	e.parity ^= 1
	e.do(crew, e.settle)
}

// Next returns a time that nothing pending precedes: no event, no transfer between
// domains and no time given to Expect.
func (e *Engine) Next() Time {
	t := e.Bound()
	for _, d := range e.domains {
		t = min(t, d.exported)
	}
	return t
}

// do applies work to every domain.
func (e *Engine) do(c *crew, work func(d *Domain, worker int)) {
	if c != nil {
		c.do(work)
		return
	}
	for _, d := range e.domains {
		work(d, 0)
	}
}

// runWindow runs one domain through the current window.
func (e *Engine) runWindow(d *Domain, worker int) {
	d.Handler.Begin(e.parity, worker)
	if d.sweeper != nil {
		d.events += d.sweeper.Sweep(e.start, e.end)
	} else {
		d.advance(e.end)
	}
	d.exported = d.Handler.End(e.end)
}

// collect hands a domain what was sent to it in the last window.
func (e *Engine) collect(d *Domain, worker int) { d.Handler.Begin(e.parity, worker) }

// crew is a set of threads that apply a function to all domains. Each thread begins
// with its own share, the same in every window, and then helps the others.
type crew struct {
	domains []*Domain
	shares  []share
	work    func(d *Domain, worker int)
	round   atomic.Int64 // number of the round of work; -1 dismisses the helpers
	busy    atomic.Int64 // helpers that are still working on the round
	wait    sync.WaitGroup
}

// share is a consecutive range of domains; next is the first one not yet taken.
type share struct {
	next atomic.Int64
	end  int64
	_    [48]byte // keeps shares on cache lines of their own
}

func newCrew(domains []*Domain, threads int) *crew {
	c := &crew{domains: domains, shares: make([]share, threads)}
	for i := 1; i < threads; i++ {
		c.wait.Add(1)
		go c.help(i)
	}
	return c
}

func (c *crew) dismiss() {
	c.round.Store(-1)
	c.wait.Wait()
}

// do applies work to every domain and returns when all are done.
func (c *crew) do(work func(d *Domain, worker int)) {
	c.work = work
	n, t := int64(len(c.domains)), int64(len(c.shares))
	for i := range c.shares {
		c.shares[i].next.Store(int64(i) * n / t)
		c.shares[i].end = (int64(i) + 1) * n / t
	}
	c.busy.Store(t - 1)
	c.round.Add(1)
	c.take(0)
	for spin := 0; c.busy.Load() > 0; spin++ {
		await(spin)
	}
}

// A waiting thread first spins, then yields on each check, and then sleeps. A window is
// short compared to a thread switch, so spinning pays off. If other programs occupy the
// cores, however, a spinning thread takes time from the thread that it waits for.
const (
	spinsBeforeYield = 2000
	spinsBeforeSleep = 4000
)

// await passes the time until a waiting thread checks again.
func await(spin int) {
	switch {
	case spin > spinsBeforeSleep:
		time.Sleep(20 * time.Microsecond)
	case spin > spinsBeforeYield:
		runtime.Gosched()
	}
}

func (c *crew) help(self int) {
	defer c.wait.Done()
	for seen := int64(0); ; {
		for spin := 0; c.round.Load() == seen; spin++ {
			await(spin)
		}
		round := c.round.Load()
		if round < 0 {
			return
		}
		seen = round
		c.take(self)
		c.busy.Add(-1)
	}
}

// take works through the share of thread self and then through what others left over.
func (c *crew) take(self int) {
	for i := range c.shares {
		s := &c.shares[(self+i)%len(c.shares)]
		for {
			k := s.next.Add(1) - 1
			if k >= s.end {
				break
			}
			c.work(c.domains[k], self)
		}
	}
}
