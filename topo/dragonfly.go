package topo

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"weft/problem"
	"weft/sim"
)

// Dragonfly is the network of Kim et al. (ISCA 2008). The switches of a group are all
// linked to each other, and global links join every two groups. Switch r of group g is
// "g‹g›r‹r›"; hosts host0, host1, … are in the order of the switches.
//
// There are a switches in a group, with h global links and p hosts each. The balanced
// variant has a = 2p = 2h, so any one of the three gives the other two. At most ah+1 groups
// are possible, with one link between any two; that is the default. With fewer groups, all
// pairs of groups have equally many links, so the number of groups less one must divide ah.
// Any two switches are thus at most 3 links apart.
//
// The arrangement determines which global links join which groups. The ah global links of a
// group are numbered as slots in the order of its switches, h per switch. If each pair of
// groups has several links, the arrangement repeats.
//
//   - absolute: slot j of group i leads to group j if j < i, and otherwise to
//     group j+1 ("consecutive" in some papers). FatPaths doesn't name its
//     arrangement; its Table IV agrees with this one.
//   - relative: slot j leads to the group j+1 further on ("palmtree" is its mirror
//     image).
//   - circulant: slots 0, 1, 2, 3, … lead 1 on, 1 back, 2 on, 2 back, ….
//   - random: the groups are in a random order, drawn for each group with the seed.
//
// Absolute, relative and circulant are defined in Hastings et al., Comparing Global Link
// Arrangements for Dragonfly Networks (CLUSTER 2015).
type Dragonfly struct {
	Size             *string `yaml:"size" enum:"1k,10k,100k,1M" doc:"About how many hosts: takes 4, 8, 13 or 23 hosts per switch, balanced." source:"FatPaths §II-B, Table V; Table IV (10k)"`
	HostsPerSwitch   *int    `yaml:"hosts_per_switch" known:"p" doc:"Hosts p on each switch (default: as many as its global links)." min:"1"`
	SwitchesPerGroup *int    `yaml:"switches_per_group" known:"a" doc:"Switches a per group (default: twice the global links of each)." min:"1"`
	GlobalLinks      *int    `yaml:"global_links" known:"h" doc:"Global links h of each switch (default: as many as its hosts, or half as many as there are switches in a group)." min:"1"`
	Groups           *int    `yaml:"groups" known:"g" doc:"Number of groups (default: ah+1, the most)." min:"2"`
	Arrangement      string  `yaml:"arrangement" default:"absolute" enum:"absolute,relative,circulant,random" doc:"Which global links join which groups." source:"Hastings et al., CLUSTER 2015, §III"`
	Seed             uint64  `yaml:"seed" default:"1" doc:"Seed of the random arrangement. The seed of a scenario does not change the graph."`
	Cables
}

// Build builds the graph. An empty arrangement means absolute.
func (o Dragonfly) Build() (*Graph, error) {
	g, err := o.build()
	if err != nil {
		return nil, fmt.Errorf("dragonfly: %w", err)
	}
	return g, nil
}

func (o Dragonfly) build() (*Graph, error) {
	c, err := o.cabling()
	if err != nil {
		return nil, err
	}
	d, err := o.shape()
	if err != nil {
		return nil, err
	}
	arrange, err := o.arrange(d)
	if err != nil {
		return nil, err
	}
	f := flat{
		switches: d.groups * d.switches, degree: d.switches - 1 + d.global, group: d.switches,
		hostsPerSwitch: d.hosts, name: grouped(d.switches),
	}
	b, err := f.start(c)
	if err != nil {
		return nil, err
	}
	first := NodeID(len(b.graph.Hosts))
	at := func(group, i int) NodeID { return first + NodeID(group*d.switches+i) }
	for group := range d.groups {
		for i := range d.switches {
			for j := i + 1; j < d.switches; j++ {
				b.link(at(group, i), at(group, j), c.uplink, c.delay)
			}
		}
	}
	slots := d.switches * d.global
	for group := range d.groups {
		for slot := range slots {
			to, far := arrange(group, slot)
			if back, same := arrange(to, far); back != group || same != slot || to == group {
				return nil, fmt.Errorf("global link %d of group %d leads to %d of group %d, which leads to %d of group %d", slot, group, far, to, same, back)
			}
			if group < to {
				b.link(at(group, slot/d.global), at(to, far/d.global), c.uplink, c.delay)
			}
		}
	}
	if err := f.check(b.graph, 0); err != nil {
		return nil, err
	}
	return b.graph, d.check(b.graph)
}

// check refuses a graph unless any two switches of a group have exactly one link, and all
// pairs of groups have equally many. Any two switches are then at most 3 links apart: one
// in each group and a global one. Depending on the arrangement the diameter can be less:
// for five groups of two switches, the circulant one gives the Petersen graph.
func (d dragonfly) check(g *Graph) error {
	first := len(g.Hosts)
	local := make([]uint8, d.groups*d.switches*d.switches)
	global := make([]uint32, d.groups*d.groups)
	for i := range g.Links {
		a, b := int(min(g.Links[i].A, g.Links[i].B))-first, int(max(g.Links[i].A, g.Links[i].B))-first
		if a < 0 {
			continue
		}
		x, y := a/d.switches, b/d.switches
		if x != y {
			global[x*d.groups+y]++
			continue
		}
		cell := &local[a*d.switches+b%d.switches]
		if *cell > 0 || a == b {
			return fmt.Errorf("%q and %q are linked twice, or one switch to itself", g.Nodes[first+a].Name, g.Nodes[first+b].Name)
		}
		*cell = 1
	}
	for a := range d.groups * d.switches {
		for i := a%d.switches + 1; i < d.switches; i++ {
			if local[a*d.switches+i] == 0 {
				return fmt.Errorf("%q and switch %d of its group are not linked", g.Nodes[first+a].Name, i)
			}
		}
	}
	each := d.switches * d.global / (d.groups - 1)
	for x := range d.groups {
		for y := x + 1; y < d.groups; y++ {
			if n := global[x*d.groups+y]; int(n) != each {
				return fmt.Errorf("groups %d and %d got %d links to each other instead of %d", x, y, n, each)
			}
		}
	}
	return nil
}

// dragonfly holds a complete set of sizes.
type dragonfly struct{ hosts, switches, global, groups int }

// shape fills in the sizes that are not given.
func (o Dragonfly) shape() (dragonfly, error) {
	if o.Size != nil {
		p, err := bySize(*o.Size, [4]int{4, 8, 13, 23})
		if err == nil {
			err = without(option{"switches_per_group", o.SwitchesPerGroup}, option{"global_links", o.GlobalLinks}, option{"groups", o.Groups})
		}
		if err != nil {
			return dragonfly{}, err
		}
		o.GlobalLinks = &p
	}
	for _, given := range []option{
		{"hosts_per_switch", o.HostsPerSwitch}, {"switches_per_group", o.SwitchesPerGroup}, {"global_links", o.GlobalLinks}, {"groups", o.Groups},
	} {
		if given.n == nil {
			continue
		}
		if err := positive(count{given.name, *given.n}); err != nil {
			return dragonfly{}, err
		}
	}
	var d dragonfly
	switch {
	case o.GlobalLinks != nil:
		d.global = *o.GlobalLinks
	case o.HostsPerSwitch != nil:
		d.global = *o.HostsPerSwitch
	case o.SwitchesPerGroup == nil:
		return d, errors.New("give hosts_per_switch, switches_per_group, global_links or size")
	case *o.SwitchesPerGroup%2 != 0:
		return d, problem.At("switches_per_group", "switches_per_group is %d, but a balanced group has half as many global links on each switch", *o.SwitchesPerGroup).Mend("use %s, or give global_links", evenNear(*o.SwitchesPerGroup))
	default:
		d.global = *o.SwitchesPerGroup / 2
	}
	d.hosts = orElse(o.HostsPerSwitch, d.global)
	d.switches = orElse(o.SwitchesPerGroup, 2*d.global)
	if d.global > maxNodes/d.switches-1 {
		return d, fmt.Errorf("%d switches per group with %d global links each are too many", d.switches, d.global)
	}
	slots := d.switches * d.global
	d.groups = orElse(o.Groups, slots+1)
	fits := func(groups int) bool { return slots%(groups-1) == 0 }
	if d.groups < 2 || d.groups > slots+1 || !fits(d.groups) {
		return d, problem.At("groups", "groups is %d, which %d global links of a group cannot join equally", d.groups, slots).Mend("use %s", nearby(d.groups, 2, slots+1, fits))
	}
	return d, nil
}

// evenNear lists the even numbers next to n.
func evenNear(n int) string {
	return nearby(n, 2, maxNodes, func(m int) bool { return m%2 == 0 })
}

// arrange returns a function that maps a slot of a group to the group and slot at the other
// end.
func (o Dragonfly) arrange(d dragonfly) (func(group, slot int) (to, far int), error) {
	others := d.groups - 1
	var once func(group, slot int) (to, far int)
	switch o.Arrangement {
	case "", "absolute":
		once = func(group, slot int) (to, far int) {
			if slot < group {
				return slot, group - 1
			}
			return slot + 1, group
		}
	case "relative":
		once = func(group, slot int) (to, far int) {
			return (group + slot + 1) % d.groups, others - 1 - slot
		}
	case "circulant":
		once = func(group, slot int) (to, far int) {
			on := slot/2 + 1
			switch {
			case slot%2 == 1:
				return (group - on + d.groups) % d.groups, slot - 1
			case 2*on == d.groups:
				// As far forward as back: both ends are the last slot.
				return (group + on) % d.groups, slot
			}
			return (group + on) % d.groups, slot + 1
		}
	case "random":
		return o.shuffled(d), nil
	default:
		return nil, problem.At("arrangement", "arrangement is %q", shorten(o.Arrangement)).Mend("use absolute, relative, circulant or random")
	}
	return func(group, slot int) (to, far int) {
		repeat := slot / others * others
		to, far = once(group, slot-repeat)
		return to, far + repeat
	}, nil
}

// shuffled arranges the slots of each group in random order.
func (o Dragonfly) shuffled(d dragonfly) func(group, slot int) (to, far int) {
	slots := d.switches * d.global
	others := d.groups - 1
	// to lists the group that each slot of each group leads to. slot lists, in ascending
	// order, the slots that lead to each group, one per repetition.
	to := make([]int32, d.groups*slots)
	slot := make([]int32, d.groups*slots)
	for group := range d.groups {
		stream := sim.Stream(o.Seed, uint64(group), "dragonfly")
		random := rand.New(&stream)
		mine := to[group*slots : (group+1)*slots]
		for i := range mine {
			mine[i] = int32(i % others)
			if int(mine[i]) >= group {
				mine[i]++
			}
		}
		for i := len(mine) - 1; i > 0; i-- {
			j := random.IntN(i + 1)
			mine[i], mine[j] = mine[j], mine[i]
		}
		repeats := make([]int32, d.groups)
		for i, t := range mine {
			index := int(t)
			if index > group {
				index--
			}
			slot[group*slots+index*(slots/others)+int(repeats[t])] = int32(i)
			repeats[t]++
		}
	}
	return func(group, s int) (int, int) {
		t := int(to[group*slots+s])
		index := t
		if index > group {
			index--
		}
		each := slots / others
		mine := slot[group*slots+index*each : group*slots+(index+1)*each]
		repeat, _ := slices.BinarySearch(mine, int32(s))
		index = group
		if index > t {
			index--
		}
		return t, int(slot[t*slots+index*each+repeat])
	}
}
