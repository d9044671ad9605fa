package trace

import "slices"

// Builder makes schedules one after another.
type Builder struct {
	ops    []packed
	needs  []need
	labels labels
	index  index
	counts []uint32
	spans  []Span
}

// need is a dependency: op waits for on.
type need struct {
	op dependant
	on uint32
}

// Len returns how many operations were added.
func (b *Builder) Len() int { return len(b.ops) }

// Add adds an operation, whose numbers are within the limits of this package, and returns its number.
func (b *Builder) Add(o Operation) uint32 {
	b.ops = append(b.ops, pack(o))
	return uint32(len(b.ops) - 1)
}

// Label names the operation that was added last. It reports false if another one has the label.
func (b *Builder) Label(label []byte) bool {
	if _, taken := b.index.find(&b.labels, label); taken {
		return false
	}
	b.index.add(&b.labels, uint32(len(b.ops)-1), label)
	return true
}

// Find returns the operation with a label.
func (b *Builder) Find(label []byte) (uint32, bool) { return b.index.find(&b.labels, label) }

// Require makes op wait for the start of on, or else for its end.
func (b *Builder) Require(op, on uint32, start bool) {
	d := dependant(op) << 1
	if start {
		d |= onStart
	}
	b.needs = append(b.needs, need{d, on})
}

// Dependencies returns how many dependencies were added.
func (b *Builder) Dependencies() int { return len(b.needs) }

// Schedule returns what was added, and begins the next one.
func (b *Builder) Schedule() Schedule {
	s := Schedule{
		ops: slices.Clone(b.ops), first: make([]uint32, len(b.ops)+1), dependants: make([]dependant, len(b.needs)),
		labels: labels{b.labels.prefix, slices.Clone(b.labels.numbers), b.labels.others}, spans: b.spanned(),
	}
	for _, n := range b.needs {
		s.first[n.on+1]++
	}
	for i := range b.ops {
		s.first[i+1] += s.first[i]
	}
	b.counts = append(b.counts[:0], s.first...)
	for _, n := range b.needs {
		s.dependants[b.counts[n.on]] = n.op
		b.counts[n.on]++
	}
	b.ops, b.needs = b.ops[:0], b.needs[:0]
	b.labels = labels{numbers: b.labels.numbers[:0]}
	b.index.reset()
	return s
}
