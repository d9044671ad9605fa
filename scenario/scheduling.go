package scenario

import (
	"weft/fabric"
	"weft/problem"
	"weft/protocol"
)

// schedulerKey is where a scenario names the scheduler of ports.
const schedulerKey = "fabric.scheduler"

var schedulerFeature = feature{
	name:    schedulerKey,
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
	for k := range env.Classes {
		p.queues.ahead[k] = env.Classes
		if chosen.Ahead != nil {
			p.queues.ahead[k] = max(1, chosen.Ahead(env, k))
		}
	}
	return nil
}

func (p *plan) buildScheduler(c *fabric.Config) {
	s := partOf[scheduling](p)
	c.Scheduling = fabric.SchedulingConfig{New: s.chosen.New, Reserved: s.env.Reserved, Frame: s.env.Frame}
}

// actedScheduler reports a scheduler that did what strict priority does.
func (v *review) actedScheduler() {
	if c := v.s.Fabric.Scheduler; c != nil && partOf[scheduling](v.plan).on() && v.ruled.Scheduled == 0 {
		v.never(schedulerKey, c.Kind, "no port had to choose between frames of several classes otherwise than by strict priority")
	}
}
