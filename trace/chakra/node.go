package chakra

import (
	"fmt"
	"math"

	"weft/internal/readable"
	"weft/trace/collective"
)

// nodeType is what a node does, by Chakra's numbers.
type nodeType int32

const (
	invalidNode nodeType = iota
	metadataNode
	loadNode
	storeNode
	computeNode
	sendNode
	recvNode
	collectiveNode
)

// types are the names of Chakra's types of nodes.
var types = [...]string{"INVALID_NODE", "METADATA_NODE", "MEM_LOAD_NODE", "MEM_STORE_NODE", "COMP_NODE", "COMM_SEND_NODE", "COMM_RECV_NODE", "COMM_COLL_NODE"}

// kinds are the collectives by Chakra's numbers. A reduce-scatter of blocks is a reduce-scatter.
var kinds = [...]collective.Kind{
	collective.AllReduce, collective.Reduce, collective.AllGather, collective.Gather, collective.Scatter, collective.Broadcast, collective.AllToAll,
	collective.ReduceScatter, collective.ReduceScatter, collective.Barrier,
}

// node is one of a graph.
type node struct {
	id     uint64
	name   string
	micros float64 // duration
	kind   nodeType
	attributes
	// Data dependencies are rank.deps[first:control], and control dependencies rank.deps[control:end].
	first, control, end int32
	call                int32 // of a collective: its place in reading.calls, or alone
}

// attributes are those of a node that matter. What is absent is 0.
type attributes struct {
	size       int64 // comm_size
	tensor     int64 // tensor_size
	operations float64
	tag        int64
	src, dst   int32
	comm       int32  // comm_type
	group      string // pg_name
	dims       string // involved_dim: a 1 or a 0 per dimension
	cpu        bool
	join       bool // weft's own: without a duration it is nothing but dependencies
	hasSrc     bool
	hasDst     bool
	hasComm    bool
}

// isJoin is the attribute of computations of no time that wait for no processor. Only weft writes it.
const isJoin = "weft_join"

// names keeps each text once.
type names map[string]string

func (n names) of(b []byte) string {
	if s, ok := n[string(b)]; ok {
		return s
	}
	s := string(b)
	n[s] = s
	return s
}

// value is that of an attribute.
type value struct {
	kind  valueKind
	whole uint64
	real  float64
	text  []byte
	list  []uint64
}

type valueKind uint8

const (
	nothing valueKind = iota
	whole
	signed
	real
	text
	listed
)

// number returns a value as a whole number from 0 on. Any type of number will do.
func (v value) number(most uint64) (uint64, error) {
	switch v.kind {
	case nothing:
		return 0, nil
	case signed:
		if int64(v.whole) < 0 {
			return 0, fmt.Errorf("%d is negative", int64(v.whole))
		}
		fallthrough
	case whole:
		if v.whole > most {
			return 0, fmt.Errorf("%d is larger than %d", v.whole, most)
		}
		return v.whole, nil
	case real:
		if v.real != math.Trunc(v.real) || v.real < 0 || v.real > float64(most) {
			return 0, fmt.Errorf("%v is no whole number up to %d", v.real, most)
		}
		return uint64(v.real), nil
	}
	return 0, fmt.Errorf("it is no number")
}

// set takes an attribute. Those that say nothing about a replay are left out.
func (a *attributes) set(name string, v value, names names) (err error) {
	number := func(most uint64) int64 {
		var n uint64
		n, err = v.number(most)
		return int64(n)
	}
	switch name {
	case "comm_size":
		a.size = number(math.MaxInt64)
	case "tensor_size":
		a.tensor = number(math.MaxInt64)
	case "num_ops":
		if a.operations = v.real; v.kind != real {
			a.operations = float64(number(math.MaxInt64))
		}
	case "comm_tag":
		a.tag = number(math.MaxInt64)
	case "comm_src":
		a.src, a.hasSrc = int32(number(math.MaxInt32)), true
	case "comm_dst":
		a.dst, a.hasDst = int32(number(math.MaxInt32)), true
	case "comm_type":
		a.comm, a.hasComm = int32(number(math.MaxInt32)), true
	case "is_cpu_op":
		a.cpu = number(math.MaxInt64) != 0
	case "pg_name":
		switch v.kind {
		case text:
			a.group = names.of(v.text)
		default:
			a.group = names.of(fmt.Append(nil, number(math.MaxInt64)))
		}
	case isJoin:
		a.join = number(math.MaxInt64) != 0
	case "involved_dim":
		bits := make([]byte, len(v.list))
		for i, one := range v.list {
			bits[i] = '0' + byte(min(one, 1))
		}
		a.dims = names.of(bits)
	}
	if err != nil {
		return fmt.Errorf("attribute %s: %w", name, err)
	}
	return nil
}

// collective returns the kind of a collective.
func (n *node) collective() (collective.Kind, bool) {
	if int(n.comm) >= len(kinds) {
		return 0, false
	}
	return kinds[n.comm], true
}

// wrong is the error of a node, with its file.
func (r *rank) wrong(n *node, format string, args ...any) error {
	return fmt.Errorf("%s: node %d, %q: %w", r.file, n.id, readable.Clip(n.name), fmt.Errorf(format, args...))
}
