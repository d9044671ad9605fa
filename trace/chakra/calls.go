package chakra

import (
	"fmt"
	"math"

	"weft/trace"
	"weft/trace/collective"
)

// call is one collective of a group.
type call struct {
	collective.Call
	algorithm collective.Algorithm
	group     *group
	rank      *rank // that it was first found at
	node      int32
}

// alone is the call of a collective whose group has one rank.
const alone int32 = -1

// arrange finds which collectives of ranks are the same one: those of a group match by their order.
func (t *reading) arrange() error {
	if err := t.readGroups(); err != nil {
		return err
	}
	for _, r := range t.ranks {
		for _, i := range r.order {
			if r.nodes[i].kind == collectiveNode {
				if err := t.match(r, i); err != nil {
					return err
				}
			}
		}
	}
	tag := t.largest + 1
	for i := range t.calls {
		c := &t.calls[i]
		g := c.group
		for place, n := range g.came {
			if n < len(g.calls) {
				missing := &t.calls[g.calls[n]]
				return fmt.Errorf("%s: rank %d has %d collectives of the process group %q, but rank %d has %d: the first it lacks is node %d of %s; each rank of a group takes part in all of its collectives",
					t.ranks[g.ranks[place]].file, g.ranks[place], n, g.name, missing.rank.number, len(g.calls), missing.rank.nodes[missing.node].id, missing.rank.file)
			}
		}
		c.algorithm = t.Choice.Algorithm(c.Kind, c.Size)
		used := c.Tags(c.algorithm, len(g.ranks))
		if tag > math.MaxInt64-used {
			return fmt.Errorf("%s: tags up to %d leave none for collectives; use smaller tags", t.files.path(0), t.largest)
		}
		c.Tag = tag
		tag += used
	}
	return nil
}

// match finds the call of a collective at a rank.
func (t *reading) match(r *rank, i int32) error {
	n := &r.nodes[i]
	g, err := t.groupOf(r, n)
	if err != nil {
		return err
	}
	if len(g.ranks) == 1 {
		n.call = alone
		t.notes.alone++
		return nil
	}
	mine, err := t.called(r, n, g)
	if err != nil {
		return err
	}
	place := g.place[r.number]
	k := g.came[place]
	g.came[place]++
	if k == len(g.calls) {
		g.calls = append(g.calls, int32(len(t.calls)))
		t.calls = append(t.calls, call{Call: mine, group: g, rank: r, node: i})
	}
	n.call = g.calls[k]
	c := &t.calls[n.call]
	if c.Kind != mine.Kind || c.Root != mine.Root {
		return r.wrong(n, "the collective number %d of process group %q is %s here, but %s at rank %d (node %d of %s); collectives of a group come in one order at all of its ranks",
			k+1, g.name, described(mine, g), described(c.Call, g), c.rank.number, c.rank.nodes[c.node].id, c.rank.file)
	}
	if c.Size != mine.Size {
		t.notes.uneven++
		c.Size = max(c.Size, mine.Size)
	}
	return nil
}

func described(c collective.Call, g *group) string {
	switch c.Kind {
	case collective.Broadcast, collective.Reduce, collective.Gather, collective.Scatter:
		return fmt.Sprintf("%v with root %d", c.Kind, g.ranks[c.Root])
	}
	return c.Kind.String()
}

// called returns what a node says of its collective. The size is of the whole buffer: comm_size is what a rank
// puts in, so that of an all-gather is a part.
func (t *reading) called(r *rank, n *node, g *group) (collective.Call, error) {
	kind, _ := n.collective()
	c := collective.Call{Kind: kind, Size: n.size, CPU: network, Reduction: t.Reduction, Node: t.Node}
	parts := int64(1)
	root, has := n.src, n.hasSrc
	switch kind {
	case collective.AllGather:
		parts = int64(len(g.ranks))
	case collective.Gather:
		parts = int64(len(g.ranks))
		root, has = n.dst, n.hasDst
	case collective.Reduce:
		root, has = n.dst, n.hasDst
	case collective.Broadcast, collective.Scatter:
	default:
		has = false
	}
	if n.size > trace.MaxSize/parts {
		return c, r.wrong(n, "comm_size %d at each of %d ranks is too large", n.size, parts)
	}
	c.Size *= parts
	if has {
		place, in := g.place[root]
		if !in {
			return c, r.wrong(n, "its root is rank %d, which is not in its process group %q; name a rank of the group (comm_src of what the root sends, comm_dst of what it gets)", root, g.name)
		}
		c.Root = place
	}
	return c, nil
}
