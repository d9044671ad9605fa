package scenario

import (
	"strings"

	"weft/protocol"
	"weft/transport"
)

// refuseConflicts reports the conflicts that the file shows.
func (v *validation) refuseConflicts(carriers []carrier) {
	f, used, needs := &v.s.Fabric, v.s.usedClasses(), needed(carriers)
	for _, one := range features() {
		for i := range one.conflicts {
			e := &one.conflicts[i]
			if e.file != nil && e.file(f) {
				v.wrong(e.at, e.problem(e.words(f, used, nil, nil), needs))
			}
			if e.sent == nil {
				continue
			}
			for k := range carriers {
				if c := &carriers[k]; e.sent(f, c, carriers) {
					v.wrong(c.path+e.at, e.problem(e.words(f, used, c, nil), needs))
				}
			}
		}
	}
}

// refuseConflicts returns the conflicts that the plan shows.
func (p *plan) refuseConflicts(s *Spec) (wrong []error) {
	f, used, needs := &s.Fabric, s.usedClasses(), p.needed()
	for _, one := range features() {
		for i := range one.conflicts {
			e := &one.conflicts[i]
			if e.planned != nil && e.planned(p, f) {
				wrong = append(wrong, at(e.at, e.problem(e.words(f, used, nil, p), needs)))
			}
			if e.carried == nil {
				continue
			}
			k := 0
			for path, t := range s.carriers() {
				c := carrier{path: path, t: t, congestion: p.groups[k].Congestion}
				if k++; e.carried(p, &c) {
					wrong = append(wrong, at(path+e.at, e.problem(e.words(f, used, &c, p), needs)))
				}
			}
		}
	}
	return wrong
}

// unfollowed explains why messages of a group cannot be followed. It returns nil if they
// can.
func (p *plan) unfollowed(g *transport.Group) error {
	for _, one := range features() {
		for i := range one.conflicts {
			if e := &one.conflicts[i]; e.followed != nil && e.followed(p, g) {
				return at(e.at, e.problem(strings.NewReplacer(), p.needed()))
			}
		}
	}
	return nil
}

// unlive returns the conflicts that prevent carrying packets of programs.
func (p *plan) unlive() (wrong []error) {
	for _, one := range features() {
		for i := range one.conflicts {
			if e := &one.conflicts[i]; e.live != nil && e.live(p) {
				wrong = append(wrong, at(e.at, e.problem(strings.NewReplacer(), p.needed())))
			}
		}
	}
	return wrong
}

// needed returns the properties that some part of the transports cannot do without.
func (p *plan) needed() (all protocol.Need) {
	for i := range p.groups {
		all |= p.groups[i].Congestion.Needs.Must | p.groups[i].Balancer.Requires().Must
	}
	return all
}

// Conflict is a pair of features that a scenario cannot have at once.
type Conflict struct {
	Feature, With string // by their keys
	Why           string
}

// Conflicts lists the pairs of features that exclude each other. The needs of controls,
// balancers and rules are listed with their entries.
func Conflicts() (list []Conflict) {
	plain := strings.NewReplacer("{control}", "the control", "{balancer}", "the balancer", "{recovery}", "it", "{lossless}", "some classes", "{are}", "are", "{circle}", "some links", "{which}", "routes have a circle of links")
	for _, f := range features() {
		for _, e := range f.conflicts {
			list = append(list, Conflict{f.name, e.with, plain.Replace(e.why)})
		}
	}
	return list
}
