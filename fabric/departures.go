package fabric

import "weft/sim"

// departures orders the ports of a switch by one time each. It is a heap that
// records the position of each port.
type departures struct {
	times []sim.Time // by port
	heap  []int32    // ports
	where []int32    // position of each port in the heap
}

func (h *departures) init(ports int) {
	h.times = make([]sim.Time, ports)
	h.heap = make([]int32, ports)
	h.where = make([]int32, ports)
	for k := range h.times {
		h.times[k], h.heap[k], h.where[k] = sim.Forever, int32(k), int32(k)
	}
}

// first returns the port with the least time.
func (h *departures) first() (int32, sim.Time) {
	if len(h.heap) == 0 {
		return 0, sim.Forever
	}
	k := h.heap[0]
	return k, h.times[k]
}

func (h *departures) at(k int32) sim.Time { return h.times[k] }

// set gives port k another time.
func (h *departures) set(k int32, t sim.Time) {
	h.times[k] = t
	i := int(h.where[k])
	for i > 0 {
		parent := (i - 1) / 2
		if h.times[h.heap[parent]] <= t {
			break
		}
		h.put(i, h.heap[parent])
		i = parent
	}
	for {
		child := 2*i + 1
		if child >= len(h.heap) {
			break
		}
		if child+1 < len(h.heap) && h.times[h.heap[child+1]] < h.times[h.heap[child]] {
			child++
		}
		if h.times[h.heap[child]] >= t {
			break
		}
		h.put(i, h.heap[child])
		i = child
	}
	h.put(i, k)
}

func (h *departures) put(i int, k int32) {
	h.heap[i] = k
	h.where[k] = int32(i)
}
