// Package trace holds what an application did, as a schedule per rank: messages that it sent and
// received, computations, and which of these waited for which. Package trace/goal reads and writes
// such traces, and trace/replay replays them.
//
// The model is GOAL's (Hoefler, Siebert, Lumsdaine: Group Operation Assembly Language, ICPP 2009),
// since LogGOPSim and ATLAHS use it. It is compact: an operation takes 24 bytes, and 4 more for each of
// its place in the list of dependants, a dependency and its label.
package trace

import (
	"fmt"
	"runtime"
	"slices"

	"weft/trace/internal/paged"
)

// Kind is what an operation does.
type Kind uint8

// Kinds of operations. Operations that may begin at once begin in this order of kinds.
const (
	Send Kind = 1 + iota
	Recv
	Calc
)

// String returns GOAL's name of a kind.
func (k Kind) String() string {
	switch k {
	case Send:
		return "send"
	case Recv:
		return "recv"
	case Calc:
		return "calc"
	}
	return fmt.Sprintf("kind %d", uint8(k))
}

// Wildcards of receives.
const (
	AnySource int32 = -1
	AnyTag    int64 = -1
)

// Limits of an operation's numbers.
const (
	MaxSize = 1<<62 - 1
	MaxTag  = 1<<63 - 1
	MaxCPU  = 1<<16 - 1
	MaxNIC  = 1<<14 - 1
	MaxRank = 1<<31 - 2
	// MaxOperations is how many operations a rank has at most.
	MaxOperations = 1<<31 - 1
)

// Operation is one step of a rank.
type Operation struct {
	// Size is the bytes of a message, or the nanoseconds of a computation.
	Size int64
	// Tag and Peer choose which message a receive takes. They are 0 for a computation.
	Tag  int64
	Peer int32
	// CPU is the processor of the rank that the operation holds.
	CPU uint16
	// NIC is the network interface of the rank. Generators of traces differ in what it stands for.
	NIC  uint16
	Kind Kind
}

// packed is an operation in 24 bytes. The two low bits of nic are the kind.
type packed struct {
	size, tag int64
	peer      int32
	cpu, nic  uint16
}

func pack(o Operation) packed {
	return packed{size: o.Size, tag: o.Tag, peer: o.Peer, cpu: o.CPU, nic: o.NIC<<2 | uint16(o.Kind)}
}

// Schedule is the operations of one rank. A Builder makes it.
type Schedule struct {
	ops []packed
	// dependants[first[i]:first[i+1]] are the operations that wait for operation i, in the order in
	// which their dependencies were added.
	first      []uint32
	dependants []dependant
	labels     labels
	spans      []Span
	memory     *paged.Memory // which has the tables; nil if Go's has
}

// dependant is an operation that waits for another, with the bit onStart if it waits for its start.
type dependant uint32

const onStart dependant = 1

// Len returns the number of operations.
func (s *Schedule) Len() int { return len(s.ops) }

// At returns operation i, counted from 0.
func (s *Schedule) At(i uint32) Operation {
	p := s.ops[i]
	runtime.KeepAlive(s)
	return Operation{Size: p.size, Tag: p.tag, Peer: p.peer, CPU: p.cpu, NIC: p.nic >> 2, Kind: Kind(p.nic & 3)}
}

// Bytes returns how much memory the schedule takes, without labels that are not a common prefix and a number.
func (s *Schedule) Bytes() int64 {
	const operation, number, span = 24, 4, 12
	return operation*int64(len(s.ops)) + number*int64(len(s.first)+len(s.dependants)+len(s.labels.numbers)) + span*int64(len(s.spans))
}

// Kind returns what operation i does.
func (s *Schedule) Kind(i uint32) Kind {
	k := Kind(s.ops[i].nic & 3)
	runtime.KeepAlive(s)
	return k
}

// Dependencies returns how many dependencies the schedule has.
func (s *Schedule) Dependencies() int { return len(s.dependants) }

// Dependants calls visit for each operation that waits for operation i, in the order in which the
// dependencies were added: for its start, or else for its end.
func (s *Schedule) Dependants(i uint32, visit func(op uint32, start bool)) {
	for _, d := range s.dependants[s.first[i]:s.first[i+1]] {
		visit(uint32(d>>1), d&onStart != 0)
	}
	runtime.KeepAlive(s)
}

// Starts tells whether an operation waits for the start of another.
func (s *Schedule) Starts() bool {
	starts := slices.ContainsFunc(s.dependants, func(d dependant) bool { return d&onStart != 0 })
	runtime.KeepAlive(s)
	return starts
}

// Release counts down what each dependant of operation i waits for, when i has started or else when it
// has ended. It appends those that wait for nothing else now to ready.
func (s *Schedule) Release(i uint32, start bool, waits []uint32, ready []uint32) []uint32 {
	var want dependant
	if start {
		want = onStart
	}
	for _, d := range s.dependants[s.first[i]:s.first[i+1]] {
		if d&onStart != want {
			continue
		}
		op := uint32(d >> 1)
		if waits[op]--; waits[op] == 0 {
			ready = append(ready, op)
		}
	}
	runtime.KeepAlive(s)
	return ready
}

// Waits returns how many dependencies each operation has.
func (s *Schedule) Waits() []uint32 {
	waits := make([]uint32, s.Len())
	s.CountWaits(waits)
	return waits
}

// CountWaits adds to waits how many dependencies each operation has.
func (s *Schedule) CountWaits(waits []uint32) {
	for _, d := range s.dependants {
		waits[d>>1]++
	}
	runtime.KeepAlive(s)
}

// Label returns the label of operation i, or "" if it has none.
func (s *Schedule) Label(i uint32) string {
	l := s.labels.at(i)
	runtime.KeepAlive(s)
	return l
}

// Name returns the label of operation i, or its number in the schedule if it has none, as in "#4".
func (s *Schedule) Name(i uint32) string {
	if l := s.Label(i); l != "" {
		return l
	}
	return fmt.Sprintf("#%d", i)
}

// Describe returns operation i in the words of GOAL, with its name: "l4: recv 8b from 3 tag 7".
func (s *Schedule) Describe(i uint32) string {
	return s.Name(i) + ": " + s.At(i).String()
}

// String returns an operation in the words of GOAL.
func (o Operation) String() string {
	switch o.Kind {
	case Send:
		return fmt.Sprintf("send %db to %d tag %d", o.Size, o.Peer, o.Tag)
	case Recv:
		return fmt.Sprintf("recv %db from %d tag %d", o.Size, o.Peer, o.Tag)
	}
	return fmt.Sprintf("%v %d", o.Kind, o.Size)
}

// Trace is the schedules of all ranks.
type Trace struct {
	Ranks []Schedule
	// Calls are what spans of schedules belong to. Without spans there are none.
	Calls []Call
	// Notices say where a reader changed what the file says.
	Notices []string
	memory  *paged.Memory
}

// Append adds the schedule of the next rank, and keeps it. Tables of large traces are in a temporary file, from which the
// kernel brings the pages that a replay touches.
func (t *Trace) Append(s *Schedule) {
	if t.memory == nil {
		t.memory = &paged.Memory{}
	}
	c := *s
	c.ops, c.first, c.dependants = paged.Keep(t.memory, s.ops), paged.Keep(t.memory, s.first), paged.Keep(t.memory, s.dependants)
	c.labels.numbers, c.memory = paged.Keep(t.memory, s.labels.numbers), t.memory
	t.Ranks = append(t.Ranks, c)
}

// Operations returns how many operations all ranks have.
func (t *Trace) Operations() (n int) {
	for i := range t.Ranks {
		n += t.Ranks[i].Len()
	}
	return n
}
