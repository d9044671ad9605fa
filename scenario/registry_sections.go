package scenario

import "weft/catalog"

// Section lists the entries for one key of a scenario.
type Section struct {
	// Title is the plural of the entries, such as "balancers". Key is where a scenario
	// names one, such as "transport.balancer".
	Title, Key string
	Entries    catalog.Roster
	// Facts returns what only building an entry shows; nil if entries describe themselves
	// completely.
	Facts func(name string) Facts
}

// Facts describes an entry of a registry, built with its defaults.
type Facts struct {
	// Needs is what a scenario must write for it. Without is what the entry does without
	// each optional property.
	Needs, Without []string
	// Brings lists the defaults that the entry brings where a file leaves them open.
	Brings []Brought
	// State returns the bits that the entry keeps per connection, and per switch for all
	// connections, given its options. It is nil if the entry does not count them.
	State func(options any) (connection, network int, err error)
	// Defaults returns the entry's options in the form that State takes.
	Defaults func() (any, error)
}

// Sections lists the contents of the registry.
func (r *Registry) Sections() []Section {
	return []Section{
		{"topologies", "topology", &r.Topologies, nil},
		{"patterns", "traffic[].pattern", &r.Patterns, nil},
		{"arrivals", "traffic[].arrival", &r.Arrivals, nil},
		{"congestion", "transport.congestion", &r.Congestion, r.factsOfControl},
		{"balancers", "transport.balancer", &r.Balancers, r.factsOfBalancer},
		{"routing", "routing.policy", &r.Routings, nil},
		{"faults", "faults[]", &r.Faults, nil},
		{"ecn", "fabric.ecn", &r.Markings, nil},
		{"admissions", "fabric.admission", &r.Admissions, nil},
		{"schedulers", schedulerKey, &r.Schedulers, nil},
	}
}

func (r *Registry) rosters() []catalog.Roster {
	var all []catalog.Roster
	for _, s := range r.Sections() {
		all = append(all, s.Entries)
	}
	return all
}
