package sim

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// Handler is the state of one domain: the entities whose events its scheduler
// holds. Its methods are called by one goroutine at a time.
type Handler interface {
	// Handle processes the event of e, due at now. It may schedule entities of
	// its own domain at now or later, and send to other domains what reaches
	// them no earlier than the engine's lookahead after now.
	Handle(e Entity, now Time)
	// Begin starts a window on the given worker: it takes over what other
	// domains sent during the last window, of the other parity, and keeps what
	// this domain sends under this parity and worker. A worker runs one domain
	// at a time.
	Begin(parity, worker int)
	// End ends a window that went up to limit, before the events of that instant. It
	// returns the earliest time at which something sent during the window reaches its
	// domain, or Forever.
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

// Engine advances domains together. They run through windows no longer than the
// lookahead, the shortest time in which one domain can reach another, and hand
// over what they sent at the window's end. One thread runs the domains one after
// another through a window, so that a domain's working set stays in cache; more
// threads share them. Results depend on neither threads nor windows.
type Engine struct {
	domains   []*Domain
	lookahead Time
	parity    int
	start     Time // of the window under way
	end       Time
	sweeps    bool // some domain is swept
	windowed  bool // windows are kept in one domain too
	expected  Time // when the next window begins at the latest
	windows   uint64

	// Method values, made once.
	window, settle func(d *Domain, worker int)
}

// NewEngine returns an engine for the given domains. The lookahead must be
// positive; with a single domain it is not used.
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

// KeepWindows makes a single domain, too, run in windows of the lookahead, between which its
// handler's End and Begin are called.
func (e *Engine) KeepWindows() { e.windowed = true }

// Expect has the next window begin at a time, or before: something is to be looked at then that is no event.
func (e *Engine) Expect(at Time) { e.expected = min(e.expected, at) }

// Events returns the number of events handled so far.
func (e *Engine) Events() uint64 {
	n := uint64(0)
	for _, d := range e.domains {
		n += d.events
	}
	return n
}

// Windows returns how many windows the domains ran through so far; a single domain whose
// events are ordered has none.
func (e *Engine) Windows() uint64 { return e.windows }

// Bound returns a time that no pending event precedes, Forever if none is
// pending: then the system has drained, unless a handler still expects something by itself (Next).
func (e *Engine) Bound() Time {
	t := e.expected
	for _, d := range e.domains {
		t = min(t, d.Scheduler.Bound())
	}
	return t
}

// Run handles all events before until, on the given number of threads. When it
// returns nothing is on its way between domains.
func (e *Engine) Run(until Time, threads int) {
	if len(e.domains) == 1 && !e.sweeps && !e.windowed {
		e.domains[0].advance(until)
		return
	}
	threads = max(1, min(threads, len(e.domains)))
	var crew *crew // nil is this thread alone
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

// Next returns a time that nothing to come precedes, no event and nothing that a handler looks at in its End.
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

// runWindow runs a domain through the window.
func (e *Engine) runWindow(d *Domain, worker int) {
	d.Handler.Begin(e.parity, worker)
	if d.sweeper != nil {
		d.events += d.sweeper.Sweep(e.start, e.end)
	} else {
		d.advance(e.end)
	}
	d.exported = d.Handler.End(e.end)
}

// collect takes over what was sent to a domain in the last window.
func (e *Engine) collect(d *Domain, worker int) { d.Handler.Begin(e.parity, worker) }

// crew is a set of threads that apply functions to all domains. Each begins with
// a share of its own, the same in every window, and then helps the others.
type crew struct {
	domains []*Domain
	shares  []share
	work    func(d *Domain, worker int)
	round   atomic.Int64 // of work handed out; -1 dismisses
	busy    atomic.Int64 // helpers that have not finished the round
	wait    sync.WaitGroup
}

// share is a run of domains; next counts through it.
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

// A thread that waits for work or for the end of a window looks again this often at once, then lets
// others run each time, and then sleeps. A window is short beside a thread switch; but where other
// programs have the cores, a thread that waits takes them from the one that it waits for.
const (
	spinsBeforeYield = 2000
	spinsBeforeSleep = 4000
)

// await spends the time until a waiting thread looks again.
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

// take works through thread self's share and then through what others left.
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
