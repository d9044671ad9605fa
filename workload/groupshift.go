package workload

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"weft/internal/portable"
	"weft/problem"
)

// GroupShift makes every member send each message to a random member of another group of
// switches. The groups with members form a ring, and the receiver's group is a fixed number of
// groups further on. On a Dragonfly this is the adversarial traffic with which Kim et al. (ISCA
// 2008) evaluate routing: all minimal paths of a group share the links to one other group.
type GroupShift struct {
	By int `yaml:"by" default:"1" min:"1" doc:"How many groups further on the receivers are." source:"Kim et al., ISCA 2008, evaluation (1)"`
}

// Resolve implements Pattern.
func (o GroupShift) Resolve(s Setting) (Destinations, error) {
	var groups []int32
	of := make([]int32, s.Hosts)
	for _, h := range s.Members {
		if s.Pod != nil {
			of[h] = s.Pod(h)
		}
		if of[h] == 0 {
			return nil, problem.New("group-shift: the switch of %s stands in no group, as those of a dragonfly do", s.HostName(h)).Mend("use off-diagonal, which counts hosts")
		}
		groups = append(groups, of[h])
	}
	slices.Sort(groups)
	groups = slices.Compact(groups)
	n := len(groups)
	if n < 2 {
		return nil, fmt.Errorf("group-shift: all hosts that take part are in one group; at least two groups are needed")
	}
	if o.By < 1 || o.By%n == 0 {
		return nil, problem.New("group-shift: with by: %d each of the %d groups would send to itself", o.By, n).Mend("use from 1 to %d", n-1)
	}
	d := shifted{to: slices.Repeat([]int32{-1}, s.Hosts), members: make([][]int32, n)}
	for _, h := range s.Members {
		k, _ := slices.BinarySearch(groups, of[h])
		d.members[k] = append(d.members[k], h)
		d.to[h] = int32((k + o.By) % n)
	}
	return d, nil
}

// shifted holds the group that each host sends to, or -1, and the members of each group.
type shifted struct {
	to      []int32
	members [][]int32
}

func (d shifted) Fan(host int32) int {
	if d.to[host] < 0 {
		return 0
	}
	return 1
}

func (d shifted) Destination(host int32, _ int64, r *rand.PCG) int32 {
	list := d.members[d.to[host]]
	return list[portable.Below(r, uint64(len(list)))]
}
