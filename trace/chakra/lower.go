package chakra

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"weft/trace"
	"weft/unit"
)

// lower makes a trace of the nodes.
func (t *reading) lower() (*trace.Trace, error) {
	out := &trace.Trace{}
	for _, c := range t.calls {
		out.Calls = append(out.Calls, trace.Call{Name: c.Kind.String(), Group: c.group.name, Ranks: len(c.group.ranks), Size: c.Size})
	}
	l := &lowerer{reading: t}
	for _, r := range t.ranks {
		l.rank = r
		if err := l.run(); err != nil {
			return nil, err
		}
		out.Ranks = append(out.Ranks, l.b.Schedule())
		*r = rank{}
	}
	out.Notices = t.notices()
	return out, nil
}

// lowerer lowers the nodes of one rank after another.
type lowerer struct {
	*reading
	*rank
	b trace.Builder
	// ends[first[i]:last[i]] are the operations whose ends end node i.
	ends        []uint32
	first, last []int
	// before are the ends of the last collective by group.
	before map[*group][]uint32
}

// mostEnds is how many operations end a node. More are joined.
const mostEnds = 3

func (l *lowerer) run() error {
	l.ends = l.ends[:0]
	l.first, l.last = make([]int, len(l.nodes)), make([]int, len(l.nodes))
	l.before = map[*group][]uint32{}
	var after []uint32
	for _, i := range l.order {
		after = after[:0]
		l.each(i, func(on int32) { after = append(after, l.ends[l.first[on]:l.last[on]]...) })
		slices.Sort(after)
		after = slices.Compact(after)
		ends, err := l.node(&l.nodes[i], after)
		if err != nil {
			return err
		}
		ends = l.joined(ends)
		l.first[i] = len(l.ends)
		l.ends = append(l.ends, ends...)
		l.last[i] = len(l.ends)
		if l.b.Len() > trace.MaxOperations {
			return l.wrong(&l.nodes[i], "the rank has more than %d operations; choose algorithms of fewer messages", trace.MaxOperations)
		}
	}
	return nil
}

// joined joins many operations by one that takes no time.
func (l *lowerer) joined(ends []uint32) []uint32 {
	if len(ends) <= mostEnds {
		return ends
	}
	return []uint32{l.add(trace.Operation{Kind: trace.Calc, CPU: joints}, ends)}
}

// node lowers a node, and returns the operations that end it.
func (l *lowerer) node(n *node, after []uint32) ([]uint32, error) {
	switch n.kind {
	case computeNode, loadNode, storeNode:
		if n.join && n.micros == 0 {
			return after, nil
		}
		ns, err := l.nanoseconds(n)
		if err != nil {
			return nil, l.wrong(n, "%w", err)
		}
		o := trace.Operation{Kind: trace.Calc, Size: ns, CPU: accelerator}
		switch {
		case n.kind != computeNode:
			o.CPU = memory
		case n.cpu:
			o.CPU = host
		}
		return l.labelled(n, o, after), nil
	case sendNode, recvNode:
		return l.message(n, after)
	case collectiveNode:
		if n.call != alone {
			return l.collective(n, after)
		}
	}
	return after, nil
}

// message lowers a message between two ranks.
func (l *lowerer) message(n *node, after []uint32) ([]uint32, error) {
	own, peer, has := n.src, n.dst, n.hasDst
	o := trace.Operation{Kind: trace.Send, Size: n.size, Tag: n.tag, CPU: network}
	mine := n.hasSrc
	what, theirs, ours := "send", "comm_dst", "comm_src"
	if n.kind == recvNode {
		own, peer, has, mine = n.dst, n.src, n.hasSrc, n.hasDst
		what, theirs, ours = "receive", "comm_src", "comm_dst"
		o.Kind = trace.Recv
	}
	switch {
	case mine && own != l.number:
		return nil, l.wrong(n, "%s is %d in the file of rank %d; a %s belongs into the file of its own rank", ours, own, l.number, what)
	case !has && l.number == 0:
		return nil, l.wrong(n, "the %s has no %s; name the other rank", what, theirs)
	case int(peer) >= l.files.ranks:
		return nil, l.wrong(n, "%s is %d; ranks are 0 to %d", theirs, peer, l.files.ranks-1)
	case n.size > trace.MaxSize:
		return nil, l.wrong(n, "comm_size %d is too large", n.size)
	case !has:
		l.notes.noPeer++
	}
	o.Peer = peer
	return l.labelled(n, o, after), nil
}

// collective lowers a collective of several ranks.
func (l *lowerer) collective(n *node, after []uint32) ([]uint32, error) {
	c := &l.calls[n.call]
	after = append(after, l.before[c.group]...)
	slices.Sort(after)
	after = slices.Compact(after)
	first := uint32(l.b.Len())
	ends, err := c.Lower(&l.b, c.algorithm, c.group.ranks, c.group.place[l.number], after)
	if err != nil {
		return nil, l.wrong(n, "%w", err)
	}
	ends = l.joined(ends)
	l.b.Span(first, uint32(l.b.Len()), n.call)
	l.before[c.group] = slices.Clone(ends)
	return ends, nil
}

// labelled adds an operation that is labelled by its node.
func (l *lowerer) labelled(n *node, o trace.Operation, after []uint32) []uint32 {
	op := l.add(o, after)
	l.b.Label(strconv.AppendUint([]byte{'n'}, n.id, 10))
	return []uint32{op}
}

func (l *lowerer) add(o trace.Operation, after []uint32) uint32 {
	op := l.b.Add(o)
	for _, on := range after {
		l.b.Require(op, on, false)
	}
	return op
}

// nanoseconds returns how long a computation or a movement of memory takes.
func (l *lowerer) nanoseconds(n *node) (int64, error) {
	var seconds float64
	switch {
	case n.micros > 0:
		seconds = n.micros / 1e6
	case n.kind != computeNode && n.tensor > 0:
		if l.Memory <= 0 {
			return 0, optional("it moves memory and has no duration", "say how fast memory is", memoryOption)
		}
		seconds = 8 * float64(n.tensor) / float64(l.Memory)
	case n.kind == computeNode && !n.cpu && (n.operations > 0 || n.tensor > 0):
		if n.operations > 0 && l.Operations <= 0 || n.tensor > 0 && l.Memory <= 0 {
			return 0, optional("it has num_ops or tensor_size and no duration", "say how many operations per second the accelerator does, and how fast its memory is", operationsOption, memoryOption)
		}
		if n.operations > 0 {
			seconds = n.operations / l.Operations
		}
		if n.tensor > 0 {
			seconds = max(seconds, 8*float64(n.tensor)/float64(l.Memory))
		}
	}
	ns := math.Round(seconds * 1e9)
	if !(ns <= float64(math.MaxInt64/int64(unit.Nanosecond))) {
		return 0, fmt.Errorf("it takes %g s, which is too long for weft", seconds)
	}
	return int64(ns), nil
}

// notices says where the trace differs from the files.
func (t *reading) notices() (list []string) {
	note := func(n int, one, many, text string) {
		switch {
		case n == 1:
			list = append(list, "1 "+one+" "+text)
		case n > 1:
			list = append(list, strconv.Itoa(n)+" "+many+" "+text)
		}
	}
	if t.files.ranks == 1 {
		note(t.notes.alone, "collective", "collectives", "of one rank taken as over at once; a trace has a file for every rank")
	}
	note(t.notes.hostCollectives, "collective", "collectives", "of the host (is_cpu_op) taken as computations; communication is what the accelerator's nodes do")
	note(t.notes.invalid, "node", "nodes", "of type 0 (INVALID_NODE) taken as over at once")
	if t.notes.noControl {
		list = append(list, "control dependencies left out, since they contradict data dependencies: they say which node called which")
		t.notes.lostControl = 0
	}
	note(t.notes.lostControl, "control dependency", "control dependencies", "on nodes that the files do not have left out")
	note(t.notes.uneven, "collective", "collectives", "with another comm_size than at other ranks; the largest is taken")
	note(t.notes.noPeer, "message", "messages", "without comm_dst or comm_src taken as with rank 0")
	if t.groups.file != "" && t.Groups == "" {
		list = append(list, "process groups are from "+t.groups.file)
	}
	return list
}
