package dart

import "weft/unit"

// incasts are those of which lists came and some senders have not. One that is complete is forgotten, so that a
// list that comes again then begins another one: see the package comment, which says when that happens.
type incasts struct {
	index map[incastName]int32
	list  []incast
	free  []int32
}

type incastName struct {
	tenant uint8
	id     uint64
}

type incast struct {
	name incastName
	// waits are the senders whose first packets have not come.
	waits []int32
}

// announce takes up the list that came with a message of a sender, whose own place in it is taken now.
// Who is listed must be of the sender's tenant.
func (r *receiver) announce(now unit.Time, from int32, id uint64, hosts []int32) {
	t := r.set.list[from].tenant
	n := incastName{t, id}
	k, known := r.incasts.index[n]
	if !known {
		k = r.incasts.take(n)
		for _, h := range hosts {
			if r.tenants != nil && !r.tenants.Has(t, h) {
				continue
			}
			i := r.set.find(name{t, h})
			if r.incasts.waits(k, i) < 0 { // named twice, it is one
				r.incasts.list[k].waits = append(r.incasts.list[k].waits, i)
				r.set.change(now, i, 0, 1)
			}
		}
	}
	r.came(now, k, from)
	if !known {
		r.note(k)
	}
}

// came notes that a sender of an incast sent, or is given up.
func (r *receiver) came(now unit.Time, k, from int32) {
	in := &r.incasts.list[k]
	if at := r.incasts.waits(k, from); at >= 0 {
		in.waits[at] = in.waits[len(in.waits)-1]
		in.waits = in.waits[:len(in.waits)-1]
		if r.set.list[from].expected > 0 {
			r.set.change(now, from, 0, -1)
		}
	}
	if len(in.waits) == 0 {
		delete(r.incasts.index, in.name)
		r.incasts.free = append(r.incasts.free, k)
	}
}

// expire takes those for dead of whom nothing was heard for long, with all that was expected of them.
func (r *receiver) expire(now unit.Time) {
	for i, since := r.backlogs.First(); i >= 0 && now-since > r.idle; i, since = r.backlogs.First() {
		r.release(now, i)
	}
	for i := r.set.stale(now, r.idle); i != nobody; i = r.set.stale(now, r.idle) {
		r.set.forget(now, i)
		for k := range r.incasts.list {
			if len(r.incasts.list[k].waits) > 0 && r.incasts.waits(int32(k), i) >= 0 {
				r.came(now, int32(k), i)
			}
		}
	}
}

// take returns an incast that waits for nobody.
func (l *incasts) take(n incastName) (k int32) {
	if f := len(l.free); f > 0 {
		k = l.free[f-1]
		l.free = l.free[:f-1]
	} else {
		k = int32(len(l.list))
		l.list = append(l.list, incast{})
	}
	l.list[k].name = n
	l.list[k].waits = l.list[k].waits[:0]
	l.index[n] = k
	return k
}

// waits returns the place of a sender among those that an incast waits for, or -1.
func (l *incasts) waits(k, sender int32) int {
	for at, i := range l.list[k].waits {
		if i == sender {
			return at
		}
	}
	return -1
}
