package chakra

import (
	"container/heap"
	"fmt"
	"strings"

	"weft/internal/readable"
)

// lost stands for a control dependency on a node that the file does not have.
const lost = ^uint64(0)

// resolve makes places of the ids that dependencies name. Converters leave nodes out that nothing depends on
// but control, so such control dependencies are dropped.
func (r *rank) resolve(notes *notes) error {
	place := make(map[uint64]int32, len(r.nodes))
	for i := range r.nodes {
		n := &r.nodes[i]
		if first, taken := place[n.id]; taken {
			return r.wrong(n, "the node %q has the same id; give each node an id of its own", readable.Clip(r.nodes[first].name))
		}
		place[n.id] = int32(i)
	}
	for i := range r.nodes {
		n := &r.nodes[i]
		for k := n.first; k < n.end; k++ {
			on, ok := place[r.deps[k]]
			switch {
			case ok:
				r.deps[k] = uint64(on)
			case k < n.control:
				return r.wrong(n, "it depends on node %d, which the file does not have; the file is cut off, or the dependency wrong", r.deps[k])
			default:
				r.deps[k] = lost
				notes.lostControl++
			}
		}
	}
	return nil
}

// arrangeNodes puts the nodes of all ranks in order.
//
// Some converters mean by control which node called which, and the caller may wait for what it called. If
// control dependencies contradict data dependencies at a rank, all of the trace are left out.
func (t *reading) arrangeNodes() error {
	for _, r := range t.ranks {
		if err := r.resolve(&t.notes); err != nil {
			return err
		}
	}
	for _, control := range []bool{true, false} {
		contradiction := false
		for _, r := range t.ranks {
			r.control = control
			var err error
			if r.order, err = r.inOrder(); err != nil && !control {
				return err
			}
			contradiction = contradiction || err != nil
		}
		if !contradiction {
			return nil
		}
		t.notes.noControl = true
	}
	return nil
}

// inOrder returns the places of nodes so that each comes after all it depends on. Of the nodes that may come
// next, the one with the least id comes, which is how ASTRA-sim takes them.
func (r *rank) inOrder() ([]int32, error) {
	waits := make([]int32, len(r.nodes))
	first := make([]int32, len(r.nodes)+1) // of dependants
	for i := range r.nodes {
		r.each(int32(i), func(on int32) {
			first[on+1]++
			waits[i]++
		})
	}
	for i := range r.nodes {
		first[i+1] += first[i]
	}
	dependants := make([]int32, len(r.deps))
	next := append([]int32(nil), first...)
	for i := range r.nodes {
		r.each(int32(i), func(on int32) {
			dependants[next[on]] = int32(i)
			next[on]++
		})
	}
	ready := byID{nodes: r.nodes}
	for i, n := range waits {
		if n == 0 {
			ready.places = append(ready.places, int32(i))
		}
	}
	heap.Init(&ready)
	list := make([]int32, 0, len(r.nodes))
	for len(ready.places) > 0 {
		i := heap.Pop(&ready).(int32)
		list = append(list, i)
		for _, d := range dependants[first[i]:first[i+1]] {
			if waits[d]--; waits[d] == 0 {
				heap.Push(&ready, d)
			}
		}
	}
	if len(list) < len(r.nodes) {
		return nil, r.cycle(waits)
	}
	return list, nil
}

// byID is places of nodes, the one with the least id first.
type byID struct {
	nodes  []node
	places []int32
}

func (b *byID) Len() int           { return len(b.places) }
func (b *byID) Less(i, j int) bool { return b.nodes[b.places[i]].id < b.nodes[b.places[j]].id }
func (b *byID) Swap(i, j int)      { b.places[i], b.places[j] = b.places[j], b.places[i] }
func (b *byID) Push(x any)         { b.places = append(b.places, x.(int32)) }
func (b *byID) Pop() any {
	last := b.places[len(b.places)-1]
	b.places = b.places[:len(b.places)-1]
	return last
}

// mostOfCycle is how many nodes of a cycle are listed.
const mostOfCycle = 8

// cycle is the error of nodes that depend on each other. Those that still wait have one among them.
func (r *rank) cycle(waits []int32) error {
	at := int32(0)
	for waits[at] == 0 {
		at++
	}
	seen := make([]bool, len(r.nodes))
	for !seen[at] {
		seen[at] = true
		at = r.waiting(at, waits)
	}
	var text strings.Builder
	n := &r.nodes[at]
	for k, next := 0, r.waiting(at, waits); ; k, next = k+1, r.waiting(next, waits) {
		if k == mostOfCycle {
			text.WriteString(" and so on")
			break
		}
		fmt.Fprintf(&text, " on %d,", r.nodes[next].id)
		if next == at {
			break
		}
	}
	return r.wrong(n, "nodes depend on each other: %d%s; remove one of these dependencies", n.id, strings.TrimSuffix(text.String(), ","))
}

// waiting returns a node that one depends on and that waits, too.
func (r *rank) waiting(i int32, waits []int32) int32 {
	at := i
	r.each(i, func(on int32) {
		if waits[on] > 0 {
			at = on
		}
	})
	return at
}

// each calls visit for the nodes that one depends on.
func (r *rank) each(i int32, visit func(on int32)) {
	n := &r.nodes[i]
	end := n.control
	if r.control {
		end = n.end
	}
	for _, on := range r.deps[n.first:end] {
		if on != lost {
			visit(int32(on))
		}
	}
}
