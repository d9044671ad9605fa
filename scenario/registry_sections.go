package scenario

import "weft/catalog"

// Section is the entries for one key of a scenario.
type Section struct {
	// Title is the plural, such as "balancers", and Key where a scenario names
	// one, such as "transport.balancer".
	Title, Key string
	Entries    catalog.Roster
	// Facts tells of an entry what only building it tells; nil if entries say all themselves.
	Facts func(name string) Facts
}

// Facts are what an entry of a registry says of itself, built with its defaults.
type Facts struct {
	// Needs is what a scenario must have for it, as it is written there, and Without what it does
	// where it lacks what it can do without.
	Needs, Without []string
	// Brings is what it brings where a file leaves it open.
	Brings []Brought
	// State returns the bits that it keeps for each connection, and each switch for all, with
	// options of its entry; nil if it does not count them.
	State func(options any) (connection, network int, err error)
	// Defaults returns its options as State takes them.
	Defaults func() (any, error)
}

// Sections lists what the registry holds.
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
