// Package ranked keeps indices into a table in a heap whose order can change while they wait.
package ranked

// Heap orders indices into a table, the foremost first. Set Before before the first use. A heap
// keeps its memory.
type Heap struct {
	// Before reports whether entry a precedes entry b. It must never be true both ways.
	Before func(a, b int32) bool

	order []int32
	place []int32 // position in order plus 1, by index; 0 if absent
}

// Len returns the number of indices in the heap.
func (h *Heap) Len() int { return len(h.order) }

// First returns the first index. The heap must not be empty.
func (h *Heap) First() int32 { return h.order[0] }

// Has reports whether an index is in the heap.
func (h *Heap) Has(i int32) bool { return int(i) < len(h.place) && h.place[i] > 0 }

// Put inserts an index. If the index is in the heap already, Put moves it to its place after its
// key has changed.
func (h *Heap) Put(i int32) {
	for int(i) >= len(h.place) {
		h.place = append(h.place, 0)
	}
	if h.place[i] == 0 {
		h.order = append(h.order, i)
		h.set(len(h.order)-1, i)
	}
	h.rise(int(h.place[i]) - 1)
	h.sink(int(h.place[i]) - 1)
}

// Remove removes an index if it is in the heap.
func (h *Heap) Remove(i int32) {
	if !h.Has(i) {
		return
	}
	k, n := int(h.place[i])-1, len(h.order)-1
	last := h.order[n]
	h.order = h.order[:n]
	h.place[i] = 0
	if k == n {
		return
	}
	h.set(k, last)
	h.Put(last)
}

// Empty removes all indices.
func (h *Heap) Empty() {
	for _, i := range h.order {
		h.place[i] = 0
	}
	h.order = h.order[:0]
}

func (h *Heap) rise(k int) {
	i := h.order[k]
	for k > 0 && h.Before(i, h.order[(k-1)/2]) {
		h.set(k, h.order[(k-1)/2])
		k = (k - 1) / 2
	}
	h.set(k, i)
}

func (h *Heap) sink(k int) {
	i := h.order[k]
	for {
		child := 2*k + 1
		if child+1 < len(h.order) && h.Before(h.order[child+1], h.order[child]) {
			child++
		}
		if child >= len(h.order) || !h.Before(h.order[child], i) {
			break
		}
		h.set(k, h.order[child])
		k = child
	}
	h.set(k, i)
}

func (h *Heap) set(k int, i int32) {
	h.order[k] = i
	h.place[i] = int32(k) + 1
}
