package scenario

import (
	"weft/config"
	"weft/problem"
)

// brings returns the defaults that the parts of a decoded scenario bring.
func (s *Scenario) brings(reg *Registry) *bringing {
	b := &bringing{s: s, reg: reg}
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
		if err := reg.CheckSetup(&congestion.Setup); err != nil {
			b.wrong.Append(s.wrong(path+".congestion", problem.New("the entry of %s in the registry cannot be used: %w", t.Congestion.Kind, err).Mend("correct its Setup")))
		}
	}
	if len(b.carriers) > 0 {
		b.carriers[0].rules = s.Fabric.rules()
	}
	trims := b.trimming()
	var taken []classesTaken
	for _, f := range features() {
		if f.brings != nil {
			classes, why := f.brings(b)
			taken = append(taken, classesTaken{classes, why})
		}
	}
	b.classes(trims, taken)
	b.controls()
	b.balancers()
	b.marks(b.queue(trims))
	b.recoveries(trims)
	return b
}

// bring writes the brought defaults into the tree of a file.
func (l *loader) bring(root *config.Node, list []bring) (*config.Node, error) {
	for _, b := range list {
		var err error
		if root, err = l.apply(root, b.path, config.Place{}, b.value); err != nil {
			return nil, err
		}
	}
	return root, nil
}
