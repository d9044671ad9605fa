package scenario

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"weft/config"
	"weft/protocol"
	"weft/unit"
)

// defaultSetup is the format's default marking rule, with its queue (ARCANE §4.1). A balancer that
// learns from marks brings it if the control states no marking.
var defaultSetup = fabricSetup{law: protocol.RED(unit.Amount{Share: 0.2}, unit.Amount{Share: 0.8}, 1), queue: defaultQueue}

// defaultQueue is the format's default queue.
var defaultQueue = protocol.Depth{BDPs: 1}

// fabricSetup is a marking rule and the queue that it was published with.
type fabricSetup struct {
	law   protocol.Law
	queue protocol.Depth
	// kind is the part that states the setup; why is the reason, for the notice.
	kind, why string
	// forPaths repeats kind if the part is a balancer.
	forPaths string
}

// limit is the limit of queues, if the file alone determines it.
type limit struct {
	// The limit is infinite, or a number of bandwidth-delay products; bdps is 0 if it is in
	// bytes.
	infinite bool
	bdps     float64
	// given: the file sets the limit. overridden: some ports have a limit of their own.
	given, overridden bool
	// idle: all classes are lossless, so the limit has no effect.
	idle bool
}

// spread brings a value under a key of transports. If all groups that lack the key inherit
// their control from the scenario's transport, and need the same value, it brings the value
// there. Otherwise it brings one to each of these groups. The callback returns nil for a
// transport that gets no value.
func (b *bringing) spread(key string, value func(c *carrier) (v *config.Node, why string)) {
	const all = "transport"
	type lacking struct {
		c   *carrier
		v   *config.Node
		why string
	}
	var list []lacking
	shared := true
	for i := range b.carriers {
		c := &b.carriers[i]
		if b.s.places.Given(c.path + "." + key) {
			continue
		}
		v, why := value(c)
		inherits := !b.s.places.Given(c.path+".congestion") || b.s.written(c.path+".congestion") == all+".congestion"
		shared = shared && v != nil && inherits && (len(list) == 0 || written(v) == written(list[0].v))
		if v != nil {
			list = append(list, lacking{c, v, why})
		}
	}
	if shared && len(list) > 0 {
		list[0].c = &carrier{path: all}
		list = list[:1]
	}
	for _, l := range list {
		b.add(l.c.path+"."+key, l.v, l.why)
	}
}

// CheckSetup refuses a published setup of a control that no scenario could have.
func (r *Registry) CheckSetup(s *protocol.Setup) error {
	law, depth := s.Marking.Value, s.Queue.Value
	_, known := r.Balancers.Lookup(s.Balancer.Value)
	switch {
	case s.Balancer.On() && !known:
		return fmt.Errorf("its balancer %q is not in the registry, which has %s", s.Balancer.Value, strings.Join(r.Balancers.Names(), ", "))
	case s.Marking.On() && !slices.Contains([]string{noMarks, thresholdLaw, redLaw}, law.Name):
		return fmt.Errorf("its law of marking is %q, where %s, %s and %s are allowed", law.Name, noMarks, thresholdLaw, redLaw)
	case law.Name == redLaw && above(law.KMin, law.KMax):
		return fmt.Errorf("its red marks from %v, which is above %v", law.KMin, law.KMax)
	case s.Queue.On() && !(depth.BDPs > 0 || depth.BDPs == 0 && depth.Packets > 0):
		return fmt.Errorf("its queue holds nothing")
	case s.Recovery.On() && new(LossRecovery).UnmarshalText([]byte(s.Recovery.Value)) != nil:
		return fmt.Errorf("its recovery is %q, where %s are allowed", s.Recovery.Value, strings.Join(recoveryKinds(), ", "))
	}
	return nil
}

// Brought is a default that a control brings.
type Brought struct {
	Path   string `json:"path"`
	Value  string `json:"value"`
	Source string `json:"source"`
}

// ControlSetup returns the defaults that a registry's congestion control brings where a
// file leaves them open.
func ControlSetup(reg *Registry, name string) (list []Brought) {
	e, ok := reg.Congestion.Lookup(name)
	if !ok {
		return nil
	}
	c, err := e.BuildDefault()
	if err != nil {
		return nil
	}
	s := &c.Setup
	add := func(path, value, source string) {
		if source != "" {
			list = append(list, Brought{path, value, source})
		}
	}
	add("transport.balancer", s.Balancer.Value, s.Balancer.Source)
	add("fabric.ecn", written(lawNode(s.Marking.Value)), s.Marking.Source)
	queue := fmt.Sprintf("%d packets", s.Queue.Value.Packets)
	if s.Queue.Value.BDPs > 0 {
		queue = unit.Amount{BDPs: s.Queue.Value.BDPs}.String()
	}
	add("fabric.queue", queue, s.Queue.Source)
	add("transport.recovery", s.Recovery.Value, s.Recovery.Source)
	return list
}

// because returns the reason for a stated default, for the notice.
func because(kind, source string) string { return kind + ": " + source }

// controls brings the control of traffic that names none.
func (b *bringing) controls() {
	b.spread("congestion", func(c *carrier) (*config.Node, string) {
		return word(c.t.Congestion.Kind), "the file names no control"
	})
}

// balancers brings the balancers that controls were published with.
func (b *bringing) balancers() {
	b.spread("balancer", func(c *carrier) (*config.Node, string) {
		s := c.congestion.Setup.Balancer
		if !s.On() {
			return nil, ""
		}
		if e, ok := b.reg.Balancers.Lookup(s.Value); ok {
			if made, err := e.BuildDefault(); err == nil {
				c.balancer, c.brought = made, s.Value
			}
		}
		return word(s.Value), because(c.t.Congestion.Kind, s.Source)
	})
}

// queue brings the deepest queue that a control states. It skips lossless classes, which
// have no limit. In a fabric that trims, only controls that need trimming count, since
// trimming is meant for short queues.
func (b *bringing) queue(trims bool) limit {
	const path = "fabric.queue"
	f := &b.s.Fabric
	l := limit{
		infinite: f.Queue.Infinite, bdps: f.Queue.BDPs, given: b.s.places.Given(path),
		overridden: slices.ContainsFunc(f.Ports, func(p PortQueue) bool { return p.Queue != nil }),
		idle:       f.PFC != nil,
	}
	if l.given {
		l.idle = false
		return l
	}
	var deepest protocol.Depth
	var of *carrier
	for i := range b.carriers {
		c := &b.carriers[i]
		class, _ := c.t.classes(trims)
		if f.PFC != nil && (len(f.PFC.Classes) == 0 || slices.Contains(f.PFC.Classes, int(class))) {
			continue
		}
		l.idle = false
		s := c.congestion.Setup.Queue
		if !s.On() || trims && !c.congestion.Needs.Must.Has(protocol.Trimming) {
			continue
		}
		if of == nil || s.Value.BDPs > deepest.BDPs || deepest.BDPs == 0 && s.Value.Packets > deepest.Packets {
			deepest, of = s.Value, c
		}
	}
	if of == nil {
		return l
	}
	header, _ := of.t.wire()
	frames := unit.Bytes(deepest.Packets) * (of.t.Payload + header)
	value := unit.Amount{BDPs: deepest.BDPs, Bytes: frames}
	if deepest.BDPs > 0 {
		value.Bytes = 0
	}
	l.bdps = deepest.BDPs
	if deepest == defaultQueue {
		return l // the format's default anyway
	}
	b.add(path, word(value.String()), because(of.t.Congestion.Kind, of.congestion.Setup.Queue.Source))
	return l
}

// marks brings the marking rule of the first control whose setup marks. Without such a
// control it brings the rule of a balancer that learns from marks, and otherwise none.
func (b *bringing) marks(l limit) {
	const path = "fabric.ecn"
	if b.s.places.Given(path) {
		return
	}
	s, others := b.law()
	if l.infinite && (s.kind == "" || s.law.KMin.Share != 0) {
		b.marksWithoutLimit(s.forPaths)
		return
	}
	if s.kind == "" {
		if b.s.Fabric.NIC == fifo {
			b.add(path, word(thresholdLaw), "a queue at hosts, nic: fifo, marks at a threshold")
		}
		return
	}
	law := l.fit(s)
	if law.Name == redLaw && b.s.Fabric.NIC == fifo {
		law = protocol.Step(law.KMin)
		s.why += "; a queue at hosts, nic: fifo, marks at a threshold"
	}
	if law != defaultSetup.law { // the format's default otherwise
		b.add(path, lawNode(law), because(s.kind, s.why))
	}
	for _, o := range others {
		b.conflicts = append(b.conflicts, fmt.Sprintf("%s and %s share the fabric, and were published with different marking: ports mark as for %s; for %s (%s) write fabric: {ecn: %s}",
			s.kind, o.kind, s.kind, o.kind, o.why, written(lawNode(l.fit(o)))))
	}
}

// marksWithoutLimit brings marking for queues without a limit, where the usual thresholds,
// shares of the limit, have no meaning. It brings it for the balancer, if one is named, or
// else for the first part that cannot do without marks.
func (b *bringing) marksWithoutLimit(balancer string) {
	const path = "fabric.ecn"
	if balancer != "" {
		b.add(path, marksWithoutLimit(), balancer+" learns of paths from marks")
		return
	}
	if kind, of := b.needing(protocol.Marks); of != nil {
		b.add(path, marksWithoutLimit(), kind+" learns of congestion from marks, and the default is a share of the limit that queue: infinite does not have")
		return
	}
	b.add(path, word(noMarks), fmt.Sprintf("no port marks congestion: the default begins at a share of the limit, and queue: infinite has none; write fabric: {ecn: %s} for marks", written(marksWithoutLimit())))
}

// law returns the setup whose marking rule the fabric gets, and the setups of other
// controls whose rules differ. Its kind is empty if no part states a rule.
func (b *bringing) law() (first fabricSetup, others []fabricSetup) {
	var silent fabricSetup
	for i := range b.carriers {
		c := &b.carriers[i]
		s := &c.congestion.Setup
		if !s.Marking.On() {
			continue
		}
		own := fabricSetup{law: s.Marking.Value, queue: s.Queue.Value, kind: c.t.Congestion.Kind, why: s.Marking.Source}
		switch {
		case own.law.Name == noMarks:
			if silent.kind == "" {
				silent = own
			}
		case first.kind == "":
			first = own
		case own.law != first.law && !slices.ContainsFunc(others, func(o fabricSetup) bool { return o.kind == own.kind }):
			others = append(others, own)
		}
	}
	if first.kind != "" || silent.kind == "" {
		return first, others
	}
	for i := range b.carriers {
		c := &b.carriers[i]
		if needs := c.balancer.Requires(); needs.Must.Has(protocol.Marks) || slices.ContainsFunc(needs.Wants, func(w protocol.Want) bool { return w.Need.Has(protocol.Marks) }) {
			first = defaultSetup
			first.kind, first.why = cmp.Or(c.brought, c.t.Balancer.Kind), "learns of paths from marks; ARCANE §4.1"
			first.forPaths = first.kind
			return first, nil
		}
	}
	return silent, nil
}

// fit returns the marking rule of a setup, adapted to queues with this limit.
func (l limit) fit(s fabricSetup) protocol.Law {
	law := s.law
	for _, k := range []*unit.Amount{&law.KMin, &law.KMax} {
		*k = l.fitAmount(*k, s.queue.BDPs)
	}
	return law
}

// fitAmount adapts a threshold that was stated for a queue of own bandwidth-delay products.
func (l limit) fitAmount(k unit.Amount, own float64) unit.Amount {
	switch {
	case own == 0 || l.idle:
		return k
	case k.Share != 0 && (l.infinite || !l.given && l.bdps > own): // a share of the published queue, which this one is not
		return unit.Amount{BDPs: float64(k.Share) * own}
	case k.Share != 0 || l.infinite:
		return k
	case k.BDPs == 0:
		return k
	}
	limit := l.bdps
	if !l.given && limit == 0 { // the format's default, or a limit in packets
		limit = defaultQueue.BDPs
	}
	if limit >= own && !l.overridden {
		return k
	}
	return unit.Amount{Share: min(1, unit.Ratio(k.BDPs/max(own, limit)))}
}

// lawNode writes a marking rule as a scenario does.
func lawNode(l protocol.Law) *config.Node {
	pairs := []string{config.KindKey, l.Name}
	switch l.Name {
	case thresholdLaw:
		pairs = append(pairs, "k", l.KMin.String())
	case redLaw:
		pairs = append(pairs, "kmin", l.KMin.String(), "kmax", l.KMax.String())
		if l.PMax != 0 && l.PMax != 1 {
			pairs = append(pairs, "pmax", l.PMax.String())
		}
	default:
		return word(l.Name)
	}
	if l.Core {
		pairs = append(pairs, "ports", corePorts)
	}
	return options(pairs...)
}

// recoveries brings the loss recovery that controls were published with, where each flow
// keeps to one path. On several paths it brings none: every kind except selective takes an
// overtaken packet for lost.
func (b *bringing) recoveries(trims bool) {
	policy, err := b.s.Routing.Policy.Build()
	if trims || err != nil || policy.Wanders() {
		return
	}
	b.spread("recovery", func(c *carrier) (*config.Node, string) {
		s := c.congestion.Setup.Recovery
		if !s.On() || c.congestion.NewHost != nil || c.congestion.NewReceiver != nil || !c.balancer.InOrder() {
			return nil, ""
		}
		return word(s.Value), because(c.t.Congestion.Kind, s.Source)
	})
}
