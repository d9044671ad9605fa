package main

import (
	"math"

	"weft/catalog"
	"weft/protocol"
	"weft/unit"
)

// options are what a scenario can say, as in
//
//	ecn: {kind: codel, target: 10us}
type options struct {
	Target   unit.Time `yaml:"target" default:"10us" doc:"Queueing time that may last." min:"1ns"`
	Interval unit.Time `yaml:"interval" default:"100us" doc:"How long queueing times stay above the target before a frame is marked; about the largest round trip." min:"1ns"`
}

// codel is the entry under which scenarios find the rule.
func codel() catalog.Entry[protocol.Marking] {
	return catalog.Define("codel", "marks when frames have waited longer than a target for an interval", "RFC 8289, with marks in place of drops",
		func(o options) (protocol.Marking, error) {
			return protocol.Marking{New: func(protocol.QueueEnv) protocol.Marker {
				return &queue{target: o.Target, interval: o.Interval}
			}}, nil
		})
}

// queue is CoDel's state of one queue. The names are those of RFC 8289, §5.3.
type queue struct {
	target, interval unit.Time

	firstAbove unit.Time // when waits will have been above the target for an interval; 0 if they are not
	dropping   bool      // marking, here
	dropNext   unit.Time
	count      int // frames marked since dropping began
	lastCount  int
}

func (c *queue) Arrived(protocol.Queue) bool { return false }

func (c *queue) Left(q protocol.Queue, waited unit.Time) bool {
	if !c.above(q, waited) {
		c.dropping = false
		return false
	}
	switch {
	case q.Now < c.firstAbove:
		return false
	case !c.dropping:
		c.dropping = true
		// A queue that was controlled a moment ago goes on at about its rate.
		fresh := c.count - c.lastCount
		c.count = 1
		if fresh > 1 && q.Now-c.dropNext < 16*c.interval {
			c.count = fresh
		}
		c.lastCount = c.count
		c.dropNext = c.control(q.Now)
		return true
	case q.Now >= c.dropNext:
		c.count++
		c.dropNext = c.control(c.dropNext)
		return true
	}
	return false
}

// above tells whether waits are above the target, with more than one frame behind.
func (c *queue) above(q protocol.Queue, waited unit.Time) bool {
	if waited < c.target || q.Class <= q.Frame {
		c.firstAbove = 0
		return false
	}
	if c.firstAbove == 0 {
		c.firstAbove = q.Now + c.interval
	}
	return true
}

// control returns when to mark next: the more often it was needed, the sooner.
func (c *queue) control(t unit.Time) unit.Time {
	return t + unit.Time(float64(c.interval)/math.Sqrt(float64(c.count)))
}
