package fleet

import (
	"sync"
	"sync/atomic"

	"weft/protocol"
	"weft/transport"
	"weft/unit"
)

// convergence is how long senders took to take notice of others. Endpoints tell it in goroutines of their own, a few times for each
// message at most.
type convergence struct {
	clock *atomic.Pointer[clock] // of the fleet

	mu  sync.Mutex
	sum *transport.Convergence // nil if nobody measures
}

// watchConvergence returns a control whose receivers measure, if they are to.
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

// Add implements protocol.Convergence. Endpoints have a clock each, so that only how long it took is known by theirs.
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
