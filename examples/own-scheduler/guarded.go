package main

import (
	"math/bits"

	"weft/catalog"
	"weft/protocol"
	"weft/unit"
)

// options are what a scenario can say, as in
//
//	scheduler: {kind: guarded, every: 8}
type options struct {
	Every int `yaml:"every" default:"10" doc:"One frame in so many is of a class that would wait otherwise." min:"2"`
}

// guarded is the entry under which scenarios find the scheduler.
func guarded() catalog.Entry[protocol.Scheduling] {
	return catalog.Define("guarded", "strict priority, but one frame in a few is of the class that waited longest", "",
		func(o options) (protocol.Scheduling, error) {
			return protocol.Scheduling{New: func(env protocol.SchedulerEnv) (protocol.Scheduler, error) {
				return &guard{every: o.Every}, nil
			}}, nil
		})
}

// guard is the scheduler of one port. It counts frames, since it is not told the time.
type guard struct {
	every  int
	sent   int                      // frames
	served [protocol.MaxClasses]int // sent when a frame of the class went last
}

// Queued has a class that was empty wait from now on.
func (g *guard) Queued(class int, _ unit.Bytes, first bool) {
	if first {
		g.served[class] = g.sent
	}
}

// Next returns the first open class, or at every few frames the open class that has not been served for most frames.
func (g *guard) Next(r *protocol.Ready) int {
	best := bits.TrailingZeros8(r.Open)
	if g.sent++; g.sent%g.every == 0 {
		for k := range g.served {
			if r.Open>>k&1 != 0 && g.served[k] < g.served[best] {
				best = k
			}
		}
	}
	g.served[best] = g.sent
	return best
}
