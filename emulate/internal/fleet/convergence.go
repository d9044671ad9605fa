package fleet

import (
	"sync"
	"sync/atomic"

	"weft/protocol"
	"weft/transport"
	"weft/unit"
)

// convergence records how long senders took to notice others. Endpoints report it
// from goroutines of their own, at most a few times per message.
type convergence struct {
	clock *atomic.Pointer[clock] // of the fleet

	mu  sync.Mutex
	sum *transport.Convergence // nil if nobody measures
}

// watchConvergence returns a control whose receivers measure convergence, if somebody asked for it.
func (f *Fleet) watchConvergence(control protocol.CongestionControl) protocol.CongestionControl {
	create := control.NewAnswerer
	if create == nil || f.convergence.sum == nil {
		return control
	}
	control.NewAnswerer = func(env protocol.HostEnv) protocol.Answerer {
		env.Convergence = &f.convergence
		return create(env)
	}
	return control
}

// Add implements protocol.Convergence. Each endpoint has its own clock, so only the
// duration is taken from it.
func (c *convergence) Add(since, now unit.Time) {
	at := c.clock.Load().now()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sum.Add(at-(now-since), at)
}

// Convergence implements transport.Outside.
func (f *Fleet) Convergence() *transport.Convergence {
	f.convergence.mu.Lock()
	defer f.convergence.mu.Unlock()
	if f.convergence.sum == nil {
		return nil
	}
	sum := *f.convergence.sum
	return &sum
}
