package scenario

import (
	"fmt"

	"weft/fabric"
	"weft/internal/readable"
	"weft/problem"
	"weft/protocol"
	"weft/unit"
)

// schedulerKey is where a scenario names the scheduler of ports.
const schedulerKey = "fabric.scheduler"

var schedulerFeature = feature{
	name: schedulerKey,
	conflicts: []conflict{{
		with: "lanes (routing.lanes, fabric.deflect)", at: schedulerKey,
		why:    "packets travel in lanes, which ports serve as one queue in the order of arrival",
		remedy: "remove scheduler, or write lanes: none and remove deflect",
		planned: func(p *plan, _ *Fabric) bool {
			return partOf[scheduling](p).on() && (p.changesLanes() || len(p.lanes.groups.Masks) > 0)
		},
	}},
	plan:    (*plan).planScheduler,
	build:   (*plan).buildScheduler,
	effects: []effect{{[]string{schedulerKey}, "decisions for another class than strict priority has", (*review).actedScheduler}},
}

// scheduling is how ports choose among their classes.
type scheduling struct {
	chosen protocol.Scheduling
	env    protocol.SchedulerEnv // of a port of a host's link
}

func (s *scheduling) on() bool { return s.chosen.New != nil }

// planScheduler builds the scheduler and has it look at ports.
func (p *plan) planScheduler(f *Fabric) error {
	if f.Scheduler == nil {
		return nil
	}
	chosen, err := f.Scheduler.Build()
	if err != nil {
		return at(schedulerKey, err)
	}
	if chosen.New == nil {
		return nil
	}
	env := protocol.SchedulerEnv{Rate: p.derived.hosts, Classes: p.queues.port.Classes, Reserved: p.queues.first, Frame: p.frames.data}
	if env.Classes < 2 {
		return at(schedulerKey, problem.New("%s chooses among classes, and ports have one", f.Scheduler.Kind).Mend("write fabric.classes: 2, and transport.class or traffic[].transport.class").Due("fabric.classes"))
	}
	if _, err := chosen.New(env); err != nil {
		return at(schedulerKey, err)
	}
	*partOf[scheduling](p) = scheduling{chosen, env}
	return nil
}

func (p *plan) buildScheduler(c *fabric.Config) {
	s := partOf[scheduling](p)
	c.Scheduling, c.Reserved, c.Frame = s.chosen, s.env.Reserved, s.env.Frame
}

// queuesAhead returns how many full queues a port sends at most while one of a class drains, that one included.
func (p *plan) queuesAhead(class uint8) unit.Bytes {
	s := partOf[scheduling](p)
	switch {
	case !s.on():
		return unit.Bytes(class) + 1
	case s.chosen.Ahead == nil:
		return unit.Bytes(s.env.Classes)
	}
	return unit.Bytes(max(1, s.chosen.Ahead(s.env, int(class))))
}

// actedScheduler reports a scheduler that did what strict priority does.
func (v *review) actedScheduler() {
	if c := v.s.Fabric.Scheduler; c != nil && partOf[scheduling](v.plan).on() && v.ruled.Scheduled == 0 {
		v.never(schedulerKey, c.Kind, "no port had to choose between frames of several classes otherwise than by strict priority")
	}
}

// scheduled returns which rule a scheduler broke.
func (r *run) scheduled() error {
	if !partOf[scheduling](r.plan).on() {
		return nil
	}
	if n := r.Network.Acted().Misscheduled; n > 0 {
		return fmt.Errorf("the scheduler of ports broke a rule of protocol.Scheduler: Next returned %s a class that is not in Ready.Open", readable.Count(int(n), "time"))
	}
	return nil
}

// schedulerPart is the fabric's scheduler with what it needs, if it can be built.
func (f *Fabric) schedulerPart() (list []part) {
	if f.Scheduler == nil {
		return nil
	}
	if s, err := f.Scheduler.Build(); err == nil {
		list = append(list, part{aScheduler, schedulerKey, f.Scheduler.Kind, s.Needs})
	}
	return list
}
