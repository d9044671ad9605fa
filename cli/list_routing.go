package cli

import (
	"reflect"
	"slices"

	"weft/catalog"
	"weft/scenario"
)

const (
	routingKey    = "routing"
	routingPolicy = "policy"
)

// policy is what lists tell of a routing policy beside what the option says.
type policy struct {
	summary, source string
	aliases         []string
	// keeps is the state that it needs, and where.
	keeps string
}

var policies = map[string]policy{
	"ecmp": {
		summary: "next hops on all shortest paths, each once; the balancer (ecmp, ops and so on) chooses among them",
		source:  "RFC 2992; ARCANE §2.2",
		keeps:   "in switches: one entry per port of a next-hop set; nothing at hosts",
	},
	"wcmp": {
		summary: "next hops on all shortest paths, weighted by the rate of their link; any balancer chooses among them; after a rate changes, reconverge updates the weights",
		source:  "Zhou et al., WCMP, EuroSys 2014; ARCANE §4.3.2",
		aliases: []string{"weighted-ecmp", "ucmp"},
		keeps:   "in switches: replicated next-hop entries, each port as often as its rate in lowest terms, in at most 64 entries, or one per port if there are more; nothing at hosts",
	},
}

// sections returns what lists show: the registry's sections, and after the balancers
// routing, for which people who come from other simulators look there. Its policies are
// the words of an option and not entries that a program can add.
func (p *program) sections() []scenario.Section {
	all := p.reg.Sections()
	routing := scenario.Section{Title: "routing", Key: routingKey, Entries: routingPolicies()}
	at := 1 + slices.IndexFunc(all, func(s scenario.Section) bool { return s.Key == balancerKey })
	return slices.Insert(all, at, routing)
}

func routingPolicies() catalog.Roster {
	set := new(catalog.Set[string])
	for _, param := range catalog.Params(reflect.TypeFor[scenario.Routing]()) {
		if param.Name != routingPolicy {
			continue
		}
		for _, word := range param.Enum {
			about, ok := policies[word]
			if !ok {
				about = policy{summary: param.Doc, source: param.Source}
			}
			entry := catalog.Define(word, about.summary, about.source, func(scenario.Routing) (string, error) { return word, nil })
			if err := set.Add(entry.Alias(about.aliases...)); err != nil {
				// The words are constants of the format, which a test lists.
				panic(err)
			}
		}
	}
	return set
}

// addKept fills in what routing policies keep.
func addKept(sections []section) {
	for _, s := range sections {
		if s.Key != routingKey {
			continue
		}
		for i := range s.Entries {
			s.Entries[i].Keeps = policies[s.Entries[i].Name].keeps
		}
	}
}
