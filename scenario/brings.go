package scenario

import (
	"fmt"
	"slices"
	"strings"

	"weft/config"
	"weft/protocol"
)

// This file fills in what a file leaves open and its transports cannot do without
// (docs/design/0004-defaults-from-transports.md).

// bring is a default that follows from another part of the scenario.
type bring struct {
	path  string
	value *config.Node
	// why is the reason, for the notice.
	why string
}

// notice says what is brought.
func (b bring) notice() string {
	return fmt.Sprintf("%s: %s (%s)", b.path, written(b.value), b.why)
}

// written returns a small value as YAML in one line.
func written(n *config.Node) string {
	if n.Kind == config.Scalar {
		return n.Text
	}
	var fields []string
	for _, f := range n.Fields {
		fields = append(fields, f.Key+": "+written(f.Value))
	}
	return "{" + strings.Join(fields, ", ") + "}"
}

// word is a value that stands nowhere in the file.
func word(text string) *config.Node { return config.Text(text, config.Place{}) }

// options is a mapping of keys and values that stands nowhere in the file.
func options(pairs ...string) *config.Node {
	n := &config.Node{Kind: config.Mapping}
	for i := 0; i < len(pairs); i += 2 {
		n.Fields = append(n.Fields, config.Field{Key: pairs[i], Value: word(pairs[i+1])})
	}
	return n
}

// marksWithoutLimit is the law of marking for queues without a limit.
func marksWithoutLimit() *config.Node { return options("kind", "threshold", "k", "1.25BDP") }

// bringing collects what the parts of a scenario bring.
type bringing struct {
	s        *Scenario
	carriers []carrier
	list     []bring
}

// brings returns the defaults that a scenario, as decoded, takes from its parts.
func (s *Scenario) brings() []bring {
	b := bringing{s: s}
	for path, t := range s.carriers() {
		balancer, err := t.Balancer.Build()
		if err != nil {
			continue
		}
		congestion, err := t.Congestion.Build()
		if err != nil {
			continue
		}
		b.carriers = append(b.carriers, carrier{path: path, t: t, balancer: balancer, congestion: congestion})
	}
	if len(b.carriers) > 0 {
		b.carriers[0].rules = s.Fabric.rules()
	}
	b.balancers()
	b.classes(b.trimming(), b.credits(), b.lanes())
	b.marks()
	b.telemetry()
	return b.list
}

func (b *bringing) add(path string, value *config.Node, why string) {
	b.list = append(b.list, bring{path, value, why})
}

// needing returns the kind of the first part that must have something, and its transport.
func (b *bringing) needing(n protocol.Need) (kind string, of *carrier) {
	for i := range b.carriers {
		for _, p := range b.carriers[i].parts() {
			if p.needs.Must.Has(n) {
				return p.kind, &b.carriers[i]
			}
		}
	}
	return "", nil
}

// trimming returns whether the fabric trims.
func (b *bringing) trimming() bool {
	f := &b.s.Fabric
	if b.s.places.Given("fabric.overflow") || f.Queue.Infinite {
		return f.Overflow == trimming
	}
	kind, of := b.needing(protocol.Trimming)
	if of != nil {
		b.add("fabric.overflow", word(trimming), kind+" needs trimmed headers")
	}
	return of != nil
}

// telemetry has switches stamp packets for a control that needs it.
func (b *bringing) telemetry() {
	if b.s.Fabric.Telemetry != nil || b.s.places.Given("fabric.telemetry") {
		return
	}
	if kind, of := b.needing(protocol.Telemetry); of != nil {
		b.add("fabric.telemetry", options(), kind+" needs switches that stamp packets")
	}
}

// credits returns whether ports limit credits.
func (b *bringing) credits() bool {
	if b.s.Fabric.Credits != nil || b.s.places.Given("fabric.credits") {
		return b.s.Fabric.Credits != nil
	}
	kind, of := b.needing(protocol.Credits)
	if of == nil {
		return false
	}
	b.add("fabric.credits", creditsFor(of.t.Payload+of.t.Header), kind+" needs ports that limit credits")
	return true
}

func (b *bringing) classes(trims, credits bool, lanes int) {
	if b.s.places.Given("fabric.classes") {
		return
	}
	most, why := b.s.Fabric.Classes, ""
	if credits && most < 2 {
		most, why = 2, "credits have a class to themselves"
	}
	if lanes > most && lanes <= mostClasses {
		most, why = lanes, "deflected frames travel in classes of their own"
	}
	for i := range b.carriers {
		c := &b.carriers[i]
		own, _ := c.t.classes(trims)
		for _, p := range c.parts() {
			first := int(own)
			if p.sort == aMarking || p.sort == anAdmitter {
				first = 0 // rules are of all classes
			}
			if n := p.needs.Classes; n > 1 && first+n > most && first+n <= mostClasses {
				most, why = first+n, fmt.Sprintf("%s uses %d priority classes", p.kind, n)
				if first > 0 {
					why += fmt.Sprintf(" from class %d on", first)
				}
			}
		}
	}
	if why != "" {
		b.add("fabric.classes", word(fmt.Sprint(most)), why)
	}
}

// marks brings the law of marking that fits the fabric where the usual one does not.
func (b *bringing) marks() {
	const path = "fabric.ecn"
	f := &b.s.Fabric
	switch {
	case b.s.places.Given(path):
	case f.Queue.Infinite:
		if kind, of := b.needing(protocol.Marks); of != nil {
			b.add(path, marksWithoutLimit(), kind+" learns of congestion from marks, and the default is a share of the limit that queue: infinite does not have")
			return
		}
		b.add(path, word(noMarks), fmt.Sprintf("no port marks congestion: the default begins at a share of the limit, and queue: infinite has none; write fabric: {ecn: %s} for marks", written(marksWithoutLimit())))
	case f.NIC == fifo:
		b.add(path, word(thresholdLaw), "a queue at hosts, nic: fifo, marks at a threshold")
	}
}

// balancers brings a balancer where the default one cannot go with the control.
func (b *bringing) balancers() {
	var lacking []*carrier
	for i := range b.carriers {
		c := &b.carriers[i]
		if !b.s.places.Given(c.path+".balancer") && b.fits(c) != "" {
			lacking = append(lacking, c)
		}
	}
	if len(lacking) == 0 {
		return
	}
	shared := "transport"
	for i := range b.carriers {
		c := &b.carriers[i]
		if !b.s.places.Given(c.path+".balancer") && b.s.written(c.path+".congestion") != shared+".congestion" {
			shared = ""
			break
		}
	}
	if shared != "" {
		c := lacking[0]
		b.add(shared+".balancer", word(b.fits(c)), b.whyBalancer(c))
		return
	}
	for _, c := range lacking {
		b.add(c.path+".balancer", word(b.fits(c)), b.whyBalancer(c))
	}
}

// fits returns the balancer that a control needs in place of the default one, "" if that fits.
func (b *bringing) fits(c *carrier) string {
	needs := c.balancer.Requires().Must
	switch {
	case c.congestion.Needs.Must.Has(protocol.Symmetric) && c.balancer.Provides()&protocol.Symmetric == 0,
		c.congestion.Wanted(protocol.OnePath) && c.balancer.Provides()&protocol.OnePath == 0:
		return onePath
	case needs&mutual&^c.congestion.Provides() != 0:
		return plain
	}
	return ""
}

func (b *bringing) whyBalancer(c *carrier) string {
	kind := c.t.Congestion.Kind
	if c.congestion.Needs.Must.Has(protocol.Symmetric) || c.congestion.Wanted(protocol.OnePath) {
		return fmt.Sprintf("%s needs each flow on one path", kind)
	}
	return fmt.Sprintf("%s has no answers that %s, the default, could learn from", kind, c.t.Balancer.Kind)
}

// bring writes what parts bring into the tree of a file.
func (l *loader) bring(root *config.Node, list []bring) (*config.Node, error) {
	for _, b := range list {
		var err error
		if root, err = l.apply(root, b.path, config.Place{}, b.value); err != nil {
			return nil, err
		}
	}
	return root, nil
}

// notices returns what is brought, as notices.
func notices(list []bring) []string {
	texts := make([]string, len(list))
	for i, b := range list {
		texts[i] = b.notice()
	}
	return texts
}

// noteBrought puts what was brought before the other notices.
func (s *Scenario) noteBrought(p *plan) {
	p.notices = append(slices.Clone(s.brought), p.notices...)
}
