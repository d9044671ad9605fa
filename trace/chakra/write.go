package chakra

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"

	"weft/internal/readable"
	"weft/internal/userfile"
	"weft/trace"
	"weft/trace/collective"
	"weft/unit"
)

// Write writes a trace as PREFIX.RANK.et, a file per rank, and PREFIX.json with its process groups if there
// are any. Calls of all ranks of a group become nodes of collectives; those with a root, which the trace does
// not name, stay messages. Groups have numbers as names, since ASTRA-sim reads no others, and their ranks
// are in ascending order.
//
// The notices say what the files cannot.
func Write(prefix string, t *trace.Trace) (notices []string, err error) {
	w := &writer{trace: t, calls: make([]writtenCall, len(t.Calls))}
	w.findCalls()
	files, err := w.files()
	if err != nil {
		return nil, err
	}
	for rank, b := range files {
		if err := userfile.WriteBytes(prefix+"."+strconv.Itoa(rank)+binaryForm, b); err != nil {
			return nil, err
		}
	}
	if len(w.groups) > 0 {
		b, err := json.Marshal(w.groups)
		if err != nil {
			return nil, err
		}
		if err := userfile.WriteBytes(prefix+jsonForm, append(b, '\n')); err != nil {
			return nil, err
		}
	}
	return w.notices(prefix), nil
}

// writer writes a trace.
type writer struct {
	trace  *trace.Trace
	calls  []writtenCall
	groups map[string][]int32

	rounded, starts, processors int
	apart                       bool // calls are written as messages, since their nodes would wait for each other
}

// writtenCall is a call that becomes a node.
type writtenCall struct {
	ok    bool
	kind  collective.Kind
	size  int64  // comm_size
	group string // empty for all ranks
	ranks []int32
}

// findCalls finds the calls that can be nodes.
func (w *writer) findCalls() {
	spans := make([]int, len(w.calls))
	for r := range w.trace.Ranks {
		for _, s := range w.trace.Ranks[r].Spans() {
			c := &w.calls[s.Call]
			c.ranks = append(c.ranks, int32(r))
			spans[s.Call]++
		}
	}
	names := map[string]string{}
	for i := range w.calls {
		c, of := &w.calls[i], w.trace.Calls[i]
		kind, err := collective.ParseKind(of.Name)
		c.ranks = slices.Compact(c.ranks)
		if err != nil || len(c.ranks) != of.Ranks || spans[i] != of.Ranks {
			continue
		}
		c.kind, c.size = kind, of.Size
		switch kind {
		case collective.AllReduce, collective.ReduceScatter, collective.AllToAll, collective.Barrier:
			c.ok = true
		case collective.AllGather:
			c.size /= int64(of.Ranks)
			c.ok = of.Size%int64(of.Ranks) == 0
		}
		if !c.ok || len(c.ranks) == len(w.trace.Ranks) {
			continue
		}
		key := fmt.Sprint(c.ranks)
		if names[key] == "" {
			names[key] = strconv.Itoa(1 + len(names))
			if w.groups == nil {
				w.groups = map[string][]int32{}
			}
			w.groups[names[key]] = c.ranks
		}
		c.group = names[key]
	}
}

// files returns the content of the files of all ranks.
func (w *writer) files() (files [][]byte, err error) {
	for r := range w.trace.Ranks {
		g := w.graph(r)
		order, ok := g.order()
		if !ok && !w.apart {
			w.apart, w.groups = true, nil
			for i := range w.calls {
				w.calls[i].ok = false
			}
			w.rounded, w.starts, w.processors = 0, 0, 0
			return w.files()
		}
		if !ok {
			f := w.trace.Check(1)
			return nil, fmt.Errorf("the trace cannot be replayed, so it has no order: %v", f.List)
		}
		b, err := w.file(g, order)
		if err != nil {
			return nil, err
		}
		files = append(files, b)
	}
	return files, nil
}

// file writes the nodes of a rank.
func (w *writer) file(g *graphOf, order []uint32) ([]byte, error) {
	e := &encoder{file: appendMetadata(nil)}
	var deps []uint64
	for _, first := range order {
		deps = deps[:0]
		for _, on := range g.needs[first] {
			deps = append(deps, uint64(on)+1)
		}
		if c := g.calls[first]; c != nil {
			e.begin(uint64(first)+1, c.kind.String(), collectiveNode, deps, 0)
			e.number("is_cpu_op", attrBool, 0)
			e.number("comm_type", attrInt64, uint64(slices.Index(kinds[:], c.kind)))
			e.number("comm_size", attrInt64, uint64(c.size))
			if c.group != "" {
				e.text("pg_name", c.group)
			}
			e.end()
			continue
		}
		if err := w.operation(e, g.rank, first, deps); err != nil {
			return nil, err
		}
	}
	return e.file, nil
}

// operation writes an operation as a node.
func (w *writer) operation(e *encoder, rank int, op uint32, deps []uint64) error {
	s := &w.trace.Ranks[rank]
	o, id, name := s.At(op), uint64(op)+1, s.Name(op)
	if o.CPU > joints {
		w.processors++
	}
	if o.Kind == trace.Calc {
		if o.Size == 0 {
			e.begin(id, name, metadataNode, deps, 0)
			e.end()
			return nil
		}
		const micro = int64(unit.Microsecond / unit.Nanosecond)
		if o.Size%micro != 0 {
			w.rounded++
		}
		e.begin(id, name, computeNode, deps, uint64(o.Size/micro+(o.Size%micro+micro/2)/micro))
		cpu := uint64(0)
		if o.CPU == host {
			cpu = 1
		}
		e.number("is_cpu_op", attrBool, cpu)
		e.end()
		return nil
	}
	if o.Peer < 0 || o.Tag < 0 {
		return fmt.Errorf("rank %d, %s: Chakra has no receive from any source or with any tag; keep the trace in GOAL", rank, s.Describe(op))
	}
	if o.Tag > math.MaxInt32 {
		return fmt.Errorf("rank %d, %s: tags of Chakra are up to %d; use smaller ones", rank, s.Describe(op), math.MaxInt32)
	}
	kind, src, dst := sendNode, int32(rank), o.Peer
	if o.Kind == trace.Recv {
		kind, src, dst = recvNode, o.Peer, int32(rank)
	}
	e.begin(id, name, kind, deps, 0)
	e.number("is_cpu_op", attrBool, 0)
	e.number("comm_size", attrInt64, uint64(o.Size))
	e.number("comm_src", attrInt32, uint64(src))
	e.number("comm_dst", attrInt32, uint64(dst))
	e.number("comm_tag", attrInt32, uint64(o.Tag))
	e.end()
	return nil
}

// notices says what the files do not.
func (w *writer) notices(prefix string) (list []string) {
	if w.rounded > 0 {
		list = append(list, readable.Count(w.rounded, "computation")+" rounded to whole microseconds, which Chakra counts in")
	}
	if w.starts > 0 {
		list = append(list, strconv.Itoa(w.starts)+" dependencies on a start written as what the start waits for: Chakra has dependencies on ends alone")
	}
	if w.processors > 0 {
		list = append(list, readable.Count(w.processors, "operation")+" with processors that Chakra cannot name")
	}
	if w.apart {
		list = append(list, "collectives written as messages, since their nodes would wait for each other")
	}
	if len(w.groups) > 0 {
		list = append(list, "process groups are in "+prefix+jsonForm)
	}
	return list
}
