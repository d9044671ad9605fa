package transport

import (
	"fmt"
	"slices"

	"weft/fabric"
	"weft/protocol"
)

// Sprays collects the spraying policies of all groups' balancers into a table for
// fabric.Config, and sets each group's index into it.
func Sprays(groups []Group) ([]protocol.Spray, error) {
	table := []protocol.Spray{{}}
	for i := range groups {
		g := &groups[i]
		if err := g.Balancer.Spray.Check(); err != nil {
			return nil, fmt.Errorf("transport: the balancer of %s: %w", g.Name, err)
		}
		s := g.Balancer.Spray.Resolved(g.Env.BaseRTT)
		if g.Congestion.Needs.Must.Has(protocol.Symmetric) {
			s = protocol.Spray{Way: protocol.BySymmetricHash}
		}
		k := slices.Index(table, s)
		if k < 0 {
			k = len(table)
			table = append(table, s)
		}
		if k >= fabric.MaxSprays {
			return nil, fmt.Errorf("transport: groups spray in more than %d different ways; give some of them the same balancer options", fabric.MaxSprays-1)
		}
		g.Spray = uint8(k)
	}
	return table, nil
}
