package scenario

import (
	"fmt"
	"slices"
	"strings"

	"weft/config"
	"weft/protocol"
)

// This file fills in options that a file leaves open and that its transports cannot do
// without (docs/design/0004-defaults-from-transports.md). brings_setup.go fills in the
// setup that their papers use (docs/design/0017-defaults-by-transport.md).

// bring is a default that follows from another part of the scenario.
type bring struct {
	path  string
	value *config.Node
	// why is the reason, for the notice.
	why string
}

// notice describes the default for the user.
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

// word returns a scalar without a place in the file.
func word(text string) *config.Node { return config.Text(text, config.Place{}) }

// options returns a mapping of keys and values without a place in the file.
func options(pairs ...string) *config.Node {
	n := &config.Node{Kind: config.Mapping}
	for i := 0; i < len(pairs); i += 2 {
		n.Fields = append(n.Fields, config.Field{Key: pairs[i], Value: word(pairs[i+1])})
	}
	return n
}

// marksWithoutLimit returns the marking rule for queues without a limit.
func marksWithoutLimit() *config.Node { return options("kind", "threshold", "k", "1.25BDP") }

// bringing collects the defaults that the parts of a scenario bring.
type bringing struct {
	s        *Scenario
	reg      *Registry
	carriers []carrier
	list     []bring
	// conflicts are notices about controls whose published setups the fabric cannot have at
	// once.
	conflicts []string
	// wrong collects setups stated by registry entries that no scenario can have.
	wrong config.Error
}

func (b *bringing) add(path string, value *config.Node, why string) {
	b.list = append(b.list, bring{path, value, why})
}

// needing returns the first part that cannot do without something: its kind and its
// transport.
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

// trimming reports whether the fabric trims.
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

// classesTaken is the number of classes that a feature takes, and the reason.
type classesTaken struct {
	classes int
	why     string
}

func (b *bringing) classes(trims bool, taken []classesTaken) {
	if b.s.places.Given("fabric.classes") {
		return
	}
	most, why := b.s.Fabric.Classes, ""
	for _, t := range taken {
		if t.classes > most && t.classes <= mostClasses {
			most, why = t.classes, t.why
		}
	}
	for i := range b.carriers {
		c := &b.carriers[i]
		own, _ := c.t.classes(trims)
		for _, p := range c.parts() {
			first := int(own)
			if p.sort.ofFabric() {
				first = 0 // the fabric's rules cover all classes
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

// notices describes the defaults that were brought, then the setups of controls that the
// fabric does not follow.
func (b *bringing) notices() []string {
	texts := make([]string, len(b.list))
	for i, one := range b.list {
		texts[i] = one.notice()
	}
	return append(texts, b.conflicts...)
}

// noteBrought puts the notices about brought defaults before all others.
func (s *Scenario) noteBrought(p *plan) {
	p.notes.notices = append(slices.Clone(s.brought), p.notes.notices...)
}
