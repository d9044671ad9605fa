package collective

import (
	"fmt"
	"slices"
	"testing"

	"weft/trace"
)

// The data of a collective is followed in symbols. A buffer is cut wherever any message cuts it, into atoms.
// An atom at a rank is the set of ranks whose contribution it has. What an operation sees is what the
// operations have done that it requires, and no more: so a dependency that is missing shows as data that is
// missing, in whatever order a replay takes operations.

// buffer is the contributions by atom, as bits by place.
type buffer []uint32

func (b buffer) with(o buffer) buffer {
	for i := range o {
		b[i] |= o[i]
	}
	return b
}

// follower follows the data of one collective.
type follower struct {
	*lowered
	cuts  []int64
	state [][]buffer // by place and operation: before it, then after it
	waits [][]uint32
	mail  map[letter]buffer
	post  [][]buffer // by place and operation: what it writes when it ends
	ready []step
}

type letter struct {
	from, to int32
	tag      int64
}

type step struct {
	place int
	op    uint32
}

// follow runs a collective and returns the buffers at its end, by place.
func follow(l *lowered) (cuts []int64, buffers []buffer, err error) {
	f := &follower{lowered: l, mail: map[letter]buffer{}}
	f.cutAll()
	for place := range l.group {
		s := l.schedule(place)
		f.state = append(f.state, make([]buffer, s.Len()))
		f.post = append(f.post, make([]buffer, s.Len()))
		f.waits = append(f.waits, s.Waits())
		for op, n := range f.waits[place] {
			if n == 0 {
				if op > 0 {
					return nil, nil, fmt.Errorf("place %d: operation %d does not wait for what the collective comes after", place, op)
				}
				f.state[place][op] = f.begin(place)
				f.ready = append(f.ready, step{place, uint32(op)})
			}
		}
	}
	var held []step // receives without a message
	for len(f.ready) > 0 {
		one := f.ready[0]
		f.ready = f.ready[1:]
		done, err := f.run(one)
		if err != nil {
			return nil, nil, fmt.Errorf("place %d, operation %d: %w", one.place, one.op, err)
		}
		if !done {
			held = append(held, one)
			continue
		}
		f.ready, held = append(f.ready, held...), nil
	}
	if len(held) > 0 {
		return nil, nil, fmt.Errorf("%d receives have no message", len(held))
	}
	for place, ends := range l.ends {
		b := make(buffer, len(f.cuts))
		for _, op := range ends {
			b.with(f.state[place][op])
		}
		buffers = append(buffers, b)
	}
	return f.cuts, buffers, nil
}

func (l *lowered) schedule(place int) *trace.Schedule { return &l.trace.Ranks[l.group[place]] }

// length is how many bytes the buffer has; that of an all-to-all has a row for each rank.
func (l *lowered) length() int64 {
	switch l.Kind {
	case Barrier:
		return 1
	case AllToAll:
		return l.Size * int64(len(l.group))
	}
	return l.Size
}

// cutAll finds where messages and parts begin.
func (f *follower) cutAll() {
	f.cuts = []int64{0}
	for _, moves := range f.moves {
		for _, m := range moves {
			for _, e := range m.data {
				f.cuts = append(f.cuts, e.from, e.to)
			}
		}
	}
	for place := range f.group {
		for _, e := range f.part(place) {
			f.cuts = append(f.cuts, e.from, e.to)
		}
	}
	slices.Sort(f.cuts)
	f.cuts = slices.Compact(f.cuts)
	for len(f.cuts) > 0 && f.cuts[len(f.cuts)-1] >= f.length() {
		f.cuts = f.cuts[:len(f.cuts)-1]
	}
}

// part is the part of a place by weft's own pattern, and by row in an all-to-all.
func (l *lowered) part(place int) (r region) {
	n := int64(len(l.group))
	before := func(i int64) int64 { return l.Size/n*i + min(i, l.Size%n) }
	rows := int64(1)
	if l.Kind == AllToAll {
		rows = n
	}
	for row := range rows {
		r = append(r, extent{row*l.Size + before(int64(place)), row*l.Size + before(int64(place)+1)})
	}
	return r
}

// has tells whether a region has the atom that begins somewhere.
func (r region) has(at int64) bool {
	return slices.ContainsFunc(r, func(e extent) bool { return e.from <= at && at < e.to })
}

// begin returns what a rank has.
func (f *follower) begin(place int) buffer {
	b := make(buffer, len(f.cuts))
	for i, at := range f.cuts {
		has := false
		switch f.Kind {
		case AllGather, Gather:
			has = f.part(place).has(at)
		case AllToAll:
			has = at/max(f.Size, 1) == int64(place)
		case Broadcast, Scatter:
			has = place == f.Root
		default:
			has = true
		}
		if has {
			b[i] = 1 << place
		}
	}
	return b
}

// run runs an operation, unless it is a receive whose message has not come.
func (f *follower) run(at step) (done bool, err error) {
	s := f.schedule(at.place)
	o, state := s.At(at.op), f.state[at.place][at.op]
	m, moves := f.moves[at.place][at.op]
	if moves && o.Size != m.data.size() {
		return false, fmt.Errorf("%v carries %d bytes", o, m.data.size())
	}
	switch o.Kind {
	case trace.Send:
		content := make(buffer, len(f.cuts))
		for i, cut := range f.cuts {
			if m.data.has(cut) {
				if content[i] = state[i]; content[i] == 0 {
					return false, fmt.Errorf("%v sends byte %d, which the rank does not have", o, cut)
				}
			}
		}
		l := letter{f.group[at.place], o.Peer, o.Tag}
		if f.mail[l] != nil {
			return false, fmt.Errorf("%v is not the only message with its tag", o)
		}
		f.mail[l] = content
	case trace.Recv:
		content := f.mail[letter{o.Peer, f.group[at.place], o.Tag}]
		if content == nil {
			return false, nil
		}
		if err := f.accept(o, m, state, content); err != nil {
			return false, err
		}
		f.post[at.place][m.done] = content
	}
	if content := f.post[at.place][at.op]; content != nil {
		state.with(content)
	}
	s.Dependants(at.op, func(op uint32, start bool) {
		next := &f.state[at.place][op]
		if *next == nil {
			*next = make(buffer, len(f.cuts))
		}
		next.with(state)
		if f.waits[at.place][op]--; f.waits[at.place][op] == 0 {
			f.ready = append(f.ready, step{at.place, op})
		}
	})
	return true, nil
}

// accept refuses what does not fit the buffer.
func (f *follower) accept(o trace.Operation, m move, state, content buffer) error {
	for i, cut := range f.cuts {
		switch old, came := state[i], content[i]; {
		case m.data.has(cut) != (came != 0):
			return fmt.Errorf("%v: byte %d is sent and not expected, or expected and not sent", o, cut)
		case m.sum && f.Kind != Barrier && old&came != 0:
			return fmt.Errorf("%v: byte %d has %b and is added %b", o, cut, old, came)
		case came != 0 && !m.sum && old&^came != 0:
			return fmt.Errorf("%v: byte %d has %b and is overwritten by %b", o, cut, old, came)
		}
	}
	return nil
}

// expect returns which contributions an atom must have at a place at the end, or false if it may have any.
func (l *lowered) expect(place int, at int64) (uint32, bool) {
	everybody := uint32(1)<<len(l.group) - 1
	switch l.Kind {
	case AllReduce, Barrier:
		return everybody, true
	case Reduce:
		return everybody, place == l.Root
	case ReduceScatter:
		return everybody, l.part(place).has(at)
	case Broadcast:
		return 1 << l.Root, true
	case Scatter:
		return 1 << l.Root, l.part(place).has(at)
	case AllToAll:
		return 1 << (at / l.Size), l.part(place).has(at)
	}
	for owner := range l.group {
		if l.part(owner).has(at) {
			return 1 << owner, l.Kind == AllGather || place == l.Root
		}
	}
	return 0, false
}

// TestData: each collective leaves the data that it promises where it promises it.
func TestData(t *testing.T) {
	atoms := 0
	each(t, 17, func(t *testing.T, c Call, a Algorithm, ranks int) {
		l := lower(t, c, a, ranks)
		cuts, buffers, err := follow(l)
		if err != nil {
			t.Fatalf("%+v over %d ranks: %v", c, ranks, err)
		}
		for place, b := range buffers {
			for i, at := range cuts {
				want, demanded := l.expect(place, at)
				if atoms++; demanded && b[i] != want {
					t.Fatalf("%+v over %d ranks: byte %d at place %d has %b, not %b", c, ranks, at, place, b[i], want)
				}
			}
		}
	})
	if atoms < 100_000 {
		t.Error("only", atoms, "atoms")
	}
}

// TestDataFindsFaults: without a dependency, and with a message to another rank, the data is wrong.
func TestDataFindsFaults(t *testing.T) {
	found := 0
	for _, k := range allKinds() {
		for _, a := range algorithmsOf(k) {
			l := lower(t, Call{Kind: k, Size: 70, Node: 3}, a, 7)
			for place := range l.group {
				s := l.schedule(place)
				// The last dependency of the last send is left out.
				whole := *s
				var b trace.Builder
				last, needs := uint32(0), s.Waits()
				for op := range uint32(s.Len()) {
					b.Add(s.At(op))
					if s.Kind(op) == trace.Send && needs[op] > 0 {
						last = op
					}
				}
				cut, first := false, true
				for on := range uint32(s.Len()) {
					s.Dependants(on, func(op uint32, start bool) {
						if op == last && on > 0 && !cut {
							cut = true
							b.Require(op, 0, false)
							return
						}
						first = false
						b.Require(op, on, start)
					})
				}
				if !cut || first {
					b.Schedule()
					continue
				}
				*s = b.Schedule()
				if wrong(l) {
					found++
				}
				*s = whole
			}
		}
	}
	if found < 40 {
		t.Error("only", found, "faults are found")
	}
}

func wrong(l *lowered) bool {
	cuts, buffers, err := follow(l)
	if err != nil {
		return true
	}
	for place, b := range buffers {
		for i, at := range cuts {
			if want, demanded := l.expect(place, at); demanded && b[i] != want {
				return true
			}
		}
	}
	return false
}
