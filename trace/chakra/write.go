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
// not name, stay messages, and so do barriers, which ASTRA-sim lacks. Groups have numbers as names, since
// ASTRA-sim reads no others, and their ranks are in ascending order. Joins, which are computations of no time,
// become dependencies where they can.
//
// The notices say what the files cannot.
func Write(prefix string, t *trace.Trace) (notices []string, err error) {
	w := &writer{trace: t, calls: make([]writtenCall, len(t.Calls)), work: map[place]bool{}}
	w.findCalls()
	w.findWork()
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

	work map[place]bool // processors that compute, at each rank
	noted
	apart bool // calls are written as messages, since their nodes would wait for each other
}

// place is a processor of a rank.
type place struct {
	rank int32
	cpu  uint16
}

// noted counts what the files have otherwise.
type noted struct{ rounded, starts, processors, host, shared, empty, own int }

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
		case collective.AllReduce, collective.ReduceScatter, collective.AllToAll:
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

// findWork finds the processors that compute.
func (w *writer) findWork() {
	for r := range w.trace.Ranks {
		s := &w.trace.Ranks[r]
		for op := range uint32(s.Len()) {
			if o := s.At(op); o.Kind == trace.Calc && o.Size > 0 {
				w.work[place{int32(r), o.CPU}] = true
			}
		}
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
			w.noted = noted{}
			return w.files()
		}
		if !ok {
			f := w.trace.Check(1)
			return nil, fmt.Errorf("the trace cannot be replayed, so it has no order: %v", f.List)
		}
		g.fold(order, func(node uint32) bool { return w.isJoin(g, node) })
		b, err := w.file(g)
		if err != nil {
			return nil, err
		}
		files = append(files, b)
	}
	return files, nil
}

// isJoin tells whether a node is a computation of no time that waits for no processor. On the accelerator and
// the host it does if they compute, too.
func (w *writer) isJoin(g *graphOf, node uint32) bool {
	o := w.trace.Ranks[g.rank].At(node)
	if g.calls[node] != nil || o.Kind != trace.Calc || o.Size > 0 {
		return false
	}
	return o.CPU != accelerator && o.CPU != host || !w.work[place{int32(g.rank), o.CPU}]
}

// file writes the nodes of a rank. A file without nodes has one that does nothing, since ASTRA-sim refuses
// others.
func (w *writer) file(g *graphOf) ([]byte, error) {
	e := &encoder{file: appendMetadata(nil)}
	var deps []uint64
	written := false
	for op, first := range g.node {
		if first != uint32(op) || g.gone[first] {
			continue
		}
		written = true
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
		if w.isJoin(g, first) {
			e.join(uint64(first)+1, w.trace.Ranks[g.rank].Name(first), deps)
			continue
		}
		if err := w.operation(e, g.rank, first, deps); err != nil {
			return nil, err
		}
	}
	if !written {
		e.join(1, "nothing to do", nil)
	}
	return e.file, nil
}

// operation writes an operation as a node.
func (w *writer) operation(e *encoder, rank int, op uint32, deps []uint64) error {
	s := &w.trace.Ranks[rank]
	o, id, name := s.At(op), uint64(op)+1, s.Name(op)
	if o.Kind == trace.Calc {
		if o.CPU != accelerator && o.CPU != host {
			w.processors++
		}
		const micro = int64(unit.Microsecond / unit.Nanosecond)
		if o.Size%micro != 0 {
			w.rounded++
		}
		e.begin(id, name, computeNode, deps, uint64(o.Size/micro+(o.Size%micro+micro/2)/micro))
		cpu := uint64(0)
		if o.CPU == host {
			cpu = 1
			w.host++
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
	if o.CPU != network && w.work[place{int32(rank), o.CPU}] {
		w.shared++
	}
	if o.Size == 0 {
		w.empty++
		o.Size = 1
	}
	if int(o.Peer) == rank && o.Kind == trace.Send {
		w.own++
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
		list = append(list, readable.Count(w.processors, "computation")+" put on the accelerator, since Chakra cannot name its processor")
	}
	if w.host > 0 {
		list = append(list, readable.Count(w.host, "computation")+" of the host, at which ASTRA-sim's statistics give up")
	}
	if w.shared > 0 {
		list = append(list, readable.Count(w.shared, "operation")+" of messages moved from a processor that computes, since Chakra has one for messages alone")
	}
	if w.empty > 0 {
		list = append(list, readable.Count(w.empty, "operation")+" of messages of 0 bytes written with 1 byte, which replays take them for and ASTRA-sim needs")
	}
	if w.own > 0 {
		list = append(list, readable.Count(w.own, "message")+" of a rank to itself, which ASTRA-sim refuses")
	}
	if w.apart {
		list = append(list, "collectives written as messages, since their nodes would wait for each other")
	}
	if len(w.groups) > 0 {
		list = append(list, "process groups are in "+prefix+jsonForm)
	}
	return list
}
