package collective

// extent is the bytes of a buffer from one up to another one.
type extent struct{ from, to int64 }

// region is extents of a buffer. They do not overlap.
type region []extent

// size returns the bytes of a region.
func (r region) size() (n int64) {
	for _, e := range r {
		n += e.to - e.from
	}
	return n
}

// join appends a region, and merges the extents that meet.
func (r region) join(o region) region {
	for _, e := range o {
		switch last := len(r) - 1; {
		case e.from == e.to:
		case last >= 0 && r[last].to == e.from:
			r[last].to = e.to
		default:
			r = append(r, e)
		}
	}
	return r
}

// joined returns several regions as one.
func joined(list ...region) region {
	var r region
	for _, one := range list {
		r = r.join(one)
	}
	return r
}

// cut cuts a region into n parts as equal as can be. The first ones have a byte more if the bytes do not
// divide evenly.
func (r region) cut(n int) []region {
	size, count := r.size(), int64(n)
	backing := make([]extent, 0, n+len(r))
	parts := make([]region, n)
	rest, left := r, extent{}
	for i := range parts {
		want := size / count
		if int64(i) < size%count {
			want++
		}
		begin := len(backing)
		for want > 0 {
			if left.from == left.to {
				left, rest = rest[0], rest[1:]
				continue
			}
			n := min(want, left.to-left.from)
			backing = append(backing, extent{left.from, left.from + n})
			left.from += n
			want -= n
		}
		parts[i] = region(backing[begin:len(backing):len(backing)])
	}
	return parts
}
