package layers

// distances computes the distances of all routers from one, over all links.
type distances struct {
	routers *Routers
	hops    []int32
	queue   []int32
}

func newDistances(r *Routers) *distances {
	return &distances{routers: r, hops: make([]int32, len(r.nodes)), queue: make([]int32, 0, len(r.nodes))}
}

// from returns the distances from a router, valid until the next call.
func (d *distances) from(router int32) []int32 {
	for i := range d.hops {
		d.hops[i] = -1
	}
	d.hops[router] = 0
	d.queue = append(d.queue[:0], router)
	// Once all routers are in the queue, none can be added.
	for i := 0; i < len(d.queue) && len(d.queue) < len(d.hops); i++ {
		u := d.queue[i]
		for _, v := range d.routers.neighbours(u) {
			if d.hops[v] < 0 {
				d.hops[v] = d.hops[u] + 1
				d.queue = append(d.queue, v)
			}
		}
	}
	return d.hops
}
