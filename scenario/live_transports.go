package scenario

import (
	"fmt"
	"slices"
	"strings"

	"weft/catalog"
	"weft/config"
	"weft/internal/connection/hosted"
	"weft/problem"
	"weft/protocol"
)

// refusedOnWire explains why real endpoints cannot carry the scenario's transports, where
// only another transport or balancer helps.
func (s *Scenario) refusedOnWire() error {
	wrong := new(config.Error)
	refuse := func(path string, err error) { wrong.Append(s.placedOne(at(path, err))) }
	for path, t := range s.carriers() {
		control, err := t.Congestion.Build()
		if err != nil {
			continue // validation reports it
		}
		refused := s.refusedControl(t.Congestion.Kind, &control)
		if refused != nil {
			refuse(path+".congestion", refused)
		}
		balancer, err := t.Balancer.Build()
		if err != nil {
			continue
		}
		with := protocol.AllNeeds // any control
		if refused == nil {
			with = control.Provides()
		}
		if err := s.refusedBalancer(t.Balancer.Kind, &balancer, with); err != nil {
			refuse(path+".balancer", err)
		}
	}
	return wrong.Err()
}

// refusedControl explains why real endpoints cannot carry a control, whatever its options,
// and lists the controls they can carry. It returns nil if they can.
func (s *Scenario) refusedControl(kind string, c *protocol.CongestionControl) error {
	if why := hosted.CheckControl(c); why != nil {
		return notOnWire(kind, why, capable(&s.reg.Congestion, carriesControl))
	}
	if c.Needs.Classes > 1 && c.Needs.OneClass == "" {
		return notOnWire(kind, fmt.Errorf("it %s", usesClasses(c)), capable(&s.reg.Congestion, carriesControl))
	}
	return nil
}

// usesClasses states that a control uses more classes than real endpoints have.
func usesClasses(c *protocol.CongestionControl) string {
	return fmt.Sprintf("uses %d priority classes, and endpoints send all packets in one", c.Needs.Classes)
}

// refusedClasses explains why real endpoints cannot send packets in the classes of a plan:
// endpoints have only one.
func (s *Scenario) refusedClasses(p *plan) (wrong []error) {
	i := 0
	for path, t := range s.carriers() {
		c := &p.groups[i].Congestion
		i++
		if option, _, ok := strings.Cut(c.Needs.OneClass, ":"); ok && c.Needs.Classes > 1 {
			wrong = append(wrong, at(problem.Join(path+".congestion", option), problem.New("%s %s", t.Congestion.Kind, usesClasses(c)).Mend("write %s", c.Needs.OneClass)))
		}
	}
	if err := p.walksInClasses(); err != nil {
		wrong = append(wrong, err)
	}
	if n := p.queues.port.Classes; n > 1 && len(wrong) == 0 {
		few := problem.New("endpoints send all packets in one priority class, and ports have %d", n).Mend("write fabric: {classes: 1}")
		if s.usedClasses() != 1 {
			few.Mend("write fabric: {classes: 1}, with class: 0 and ack: {class: 0} for transports")
		}
		wrong = append(wrong, at("fabric.classes", few))
	}
	return wrong
}

// refusedBalancer explains why real endpoints cannot use a balancer with any control, and
// lists the balancers they can use with a control that provides the given properties. It
// returns nil if they can.
func (s *Scenario) refusedBalancer(kind string, b *protocol.Balancer, provided protocol.Need) error {
	why := hosted.CheckBalancer(b, protocol.AllNeeds)
	if why == nil {
		return nil
	}
	return notOnWire(kind, why, capable(&s.reg.Balancers, func(b *protocol.Balancer) (string, bool) {
		return "", hosted.CheckBalancer(b, provided) == nil
	}))
}

// carriesControl reports whether real endpoints can carry a control, and which option that
// takes.
func carriesControl(c *protocol.CongestionControl) (option string, can bool) {
	if c.Needs.Classes > 1 {
		option = c.Needs.OneClass
		return option, option != "" && hosted.CheckControl(c) == nil
	}
	return "", hosted.CheckControl(c) == nil
}

// notOnWire returns the error for an entry that real endpoints cannot use, with the entries
// that they can use by default.
func notOnWire(kind string, why error, can []string) error {
	if i := slices.Index(can, kind); i >= 0 {
		return problem.New("%s cannot go on wire with these options: %w", kind, why).Mend("remove them, or choose one of %s", strings.Join(slices.Delete(can, i, i+1), ", "))
	}
	return problem.New("%s cannot go on wire: %w", kind, why).Mend("choose one of %s", strings.Join(can, ", "))
}

// capable lists the entries of a catalog that real endpoints can use.
func capable[R any](from *catalog.Set[R], can func(*R) (option string, can bool)) (list []string) {
	for _, e := range from.Entries() {
		built, err := e.BuildDefault()
		if err != nil {
			continue
		}
		option, ok := can(&built)
		switch {
		case ok && option == "":
			list = append(list, e.Name)
		case ok:
			list = append(list, fmt.Sprintf("%s (with %s)", e.Name, option))
		}
	}
	return list
}
