package topo

import (
	"encoding/json"

	"weft/problem"
)

// neighbour is an entry in the adjacency list of a node.
type neighbour struct {
	at     place
	object map[string]json.RawMessage
}

// adjacency reads the lists of neighbours that NetworkX writes (adjacency_data), one per
// node, in the order of the nodes.
//
//	{"nodes": [{"id": "a"}, {"id": "b"}], "adjacency": [[{"id": "b"}], [{"id": "a"}]]}
func (r *nodeLinkReader) adjacency(seen *bool) error {
	begin := r.at()
	if *seen {
		return r.assembly.errorf(begin, "the list adjacency is given twice")
	}
	*seen = true
	return r.array(begin, "adjacency", func() error {
		var list []neighbour
		err := r.array(r.at(), "an item of adjacency", func() error {
			at, object, err := r.object("a list of adjacency")
			list = append(list, neighbour{at, object})
			return err
		})
		r.neighbours = append(r.neighbours, list)
		return err
	})
}

// join makes edges from the lists of neighbours. An edge is in the lists of both of its
// nodes.
func (r *nodeLinkReader) join() error {
	if len(r.neighbours) != len(r.ids) {
		return r.assembly.errorf(place{}, "%w", problem.New("adjacency has %d lists, but there are %d nodes", len(r.neighbours), len(r.ids)).Mend("write a list of neighbours per node, in the order of the nodes"))
	}
	// Edges seen from one side only so far, by their nodes and key.
	waiting := map[[3]string][]linkText{}
	for i, list := range r.neighbours {
		for _, n := range list {
			to, ok := scalar(n.object["id"])
			if !ok {
				return r.assembly.errorf(n.at, "%w", problem.New("a neighbour has no id").Mend("write the id of a node"))
			}
			known, err := r.known(n.at, n.object)
			if err != nil {
				return err
			}
			text, err := known.link(r.ids[i], to)
			if err != nil {
				return r.assembly.errorf(n.at, "the edge of %q and %q: %w", shorten(text.a), shorten(to), err)
			}
			other := [3]string{to, text.a, text.key}
			if list := waiting[other]; len(list) > 0 && to != text.a {
				if !same(text.rate, list[0].rate) || !same(text.delay, list[0].delay) {
					return r.assembly.errorf(n.at, "the edge of %q and %q: %w", shorten(text.a), shorten(to), unlikeDirections())
				}
				waiting[other] = list[1:]
				continue
			}
			mine := [3]string{text.a, to, text.key}
			waiting[mine] = append(waiting[mine], text)
			r.edges = append(r.edges, nodeLinkEdge{text, n.at})
		}
	}
	return nil
}
