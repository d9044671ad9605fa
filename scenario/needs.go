package scenario

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"strings"

	"weft/fabric"
	"weft/problem"
	"weft/protocol"
)

// offers returns what a fabric provides to every transport, according to the file.
// Properties that only the network shows count as provided.
func (f *Fabric) offers() offers {
	o := offers{classes: max(1, f.Classes)}
	for _, n := range needTable() {
		if n.has != nil && n.has(f) {
			o.has |= n.need
		}
	}
	return o
}

// inquiries yields an inquiry for each part of a transport.
func (c *carrier) inquiries(has offers, about inquiry) iter.Seq[*inquiry] {
	return func(yield func(*inquiry) bool) {
		q := about
		q.carrier, q.offers = c, has.under(c, q.fabric)
		first := q.offers.first
		for _, q.part = range c.parts() {
			if q.offers.first = first; q.sort.ofFabric() {
				q.offers.first = 0 // the fabric's rules cover all classes
			}
			if !yield(&q) {
				return
			}
		}
	}
}

// refusal is an error about a property that a part lacks.
type refusal struct {
	path string
	what *problem.Problem
}

// refusals returns an error for each property that the part lacks and cannot do without.
// Properties lacking for the same reason share one error.
func (q *inquiry) refusals() (list []refusal) {
	var nouns []string
	var last lack
	for _, n := range needTable() {
		if !n.lacking(&q.needs, &q.offers) {
			continue
		}
		l := n.lack(q)
		does := l.does
		if does == "" {
			if l != last {
				nouns = nil
			} else {
				list = list[:len(list)-1]
			}
			nouns = append(nouns, n.noun)
			does = "needs " + strings.Join(nouns, ", and ")
		}
		last = l
		what := problem.New("%s %s, but %s", q.kind, does, l.why).Mend("%s", l.remedy)
		if l.key != "" {
			what.Due(l.key)
		}
		list = append(list, refusal{cmp.Or(l.path, q.path), what})
	}
	return list
}

// notices describes what the part does without the properties that it wants but lacks. The
// notices of later are due only if frames were dropped.
func (q *inquiry) notices() (now, later []string) {
	for _, w := range q.needs.Wants {
		for _, n := range needTable() {
			if n.need&w.Need == 0 || !q.offers.lacks(n.need) {
				continue
			}
			l := n.lack(q)
			text := fmt.Sprintf("%s, and %s %s; %s", l.why, q.kind, w.Without, l.remedy)
			if n.drops && q.plan.hardlyDrops() {
				later = append(later, text)
			} else {
				now = append(now, text)
			}
		}
	}
	return now, later
}

// hardlyDrops reports whether queues are so deep that the fabric counts as free of loss.
func (p *plan) hardlyDrops() bool {
	limit, bdp := p.shallowest()
	return float64(limit) >= protocol.Deep.BDPs*float64(bdp)
}

// needs checks that the parts of all groups' transports get what they cannot do without. It
// skips the scenario's own transport, since no group need use it unchanged.
func (v *validation) needs(carriers []carrier) {
	has := v.s.Fabric.offers()
	about := inquiry{fabric: &v.s.Fabric, used: v.s.usedClasses(), given: func(path string) bool {
		return v.s.places.Given(path) || v.s.places.Given(v.s.written(path))
	}}
	for i := range carriers {
		c := &carriers[i]
		replaced := false // a balancer that must be replaced: another one has other needs
		for q := range c.inquiries(has, about) {
			if q.sort == aBalancer && replaced {
				continue
			}
			for _, r := range q.refusals() {
				v.wrong(r.path, r.what)
				replaced = replaced || r.path == c.path+".balancer"
			}
		}
	}
}

// inquiries yields an inquiry about the planned network for each part of each group's
// transport.
func (p *plan) inquiries(s *Spec) iter.Seq[*inquiry] {
	return func(yield func(*inquiry) bool) {
		has := s.Fabric.offers()
		has.not = p.lacking.needs
		about := inquiry{fabric: &s.Fabric, used: s.usedClasses(), given: func(string) bool { return true }, plan: p}
		i := 0
		for path, t := range s.carriers() {
			g := &p.groups[i]
			i++
			c := carrier{path: path, t: t, balancer: g.Balancer, congestion: g.Congestion}
			if i == 1 {
				c.rules = s.Fabric.rules()
			}
			for q := range c.inquiries(has, about) {
				if !yield(q) {
					return
				}
			}
		}
	}
}

// checkNeeds repeats the check for the planned network, which shows which ports mark, how
// much their queues hold, and where routes lead.
func (p *plan) checkNeeds(s *Spec) error {
	if !p.queues.marks {
		p.lacking.needs |= protocol.Marks
	}
	if limit, bdp := p.shallowest(); limit < ampleQueue*bdp {
		p.lacking.needs |= protocol.DeepQueues
	}
	if p.layered() {
		p.lacking.needs |= protocol.OneLayer
	}
	for i := range p.groups {
		if p.groups[i].Congestion.Needs.Must.Has(protocol.Symmetric) {
			if p.explicit() {
				p.lacking.astray = errExplicit
			} else if p.lacking.astray = fabric.CheckSymmetric(p.graph, p.routes.present, p.seed); p.lacking.astray == nil && p.routes.policy.Wanders() {
				p.lacking.astray = errStrays
			}
			if p.lacking.astray != nil {
				p.lacking.needs |= protocol.Symmetric
			}
			break
		}
	}
	var wrong []error
	for q := range p.inquiries(s) {
		for _, r := range q.refusals() {
			wrong = append(wrong, at(r.path, r.what))
		}
	}
	return errors.Join(wrong...)
}

// hintNeeds notes what parts do without the properties that they want.
func (p *plan) hintNeeds(s *Spec) {
	for q := range p.inquiries(s) {
		now, later := q.notices()
		for _, n := range now {
			p.notice(n)
		}
		p.notes.onDrops = append(p.notes.onDrops, later...)
	}
}
