package sim

// eventHeap is an implicit 4-ary min-heap of events.
type eventHeap []event

func (h *eventHeap) push(ev event) {
	a := append(*h, ev)
	i := len(a) - 1
	for i > 0 {
		p := (i - 1) / 4
		if !ev.before(a[p]) {
			break
		}
		a[i] = a[p]
		i = p
	}
	a[i] = ev
	*h = a
}

func (h *eventHeap) pop() event {
	a := *h
	top := a[0]
	n := len(a) - 1
	ev := a[n]
	a = a[:n]
	*h = a
	if n == 0 {
		return top
	}
	i := 0
	for {
		c := 4*i + 1
		if c >= n {
			break
		}
		m := c
		for j := c + 1; j < min(c+4, n); j++ {
			if a[j].before(a[m]) {
				m = j
			}
		}
		if !a[m].before(ev) {
			break
		}
		a[i] = a[m]
		i = m
	}
	a[i] = ev
	return top
}
