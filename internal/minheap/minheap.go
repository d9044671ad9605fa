// Package minheap is a binary heap of values that compare themselves. Unlike container/heap, it
// allocates nothing per value.
package minheap

// Heap holds values, the least first. The zero value is empty and ready for use.
type Heap[T interface{ Compare(T) int }] []T

// Push adds a value.
func (q *Heap[T]) Push(e T) {
	a := append(*q, e)
	i := len(a) - 1
	for ; i > 0 && e.Compare(a[(i-1)/2]) < 0; i = (i - 1) / 2 {
		a[i] = a[(i-1)/2]
	}
	a[i] = e
	*q = a
}

// Pop removes and returns the least value. The heap must not be empty.
func (q *Heap[T]) Pop() T {
	a := *q
	top, n := a[0], len(a)-1
	last := a[n]
	a = a[:n]
	*q = a
	for i := 0; n > 0; {
		c := 2*i + 1
		if c+1 < n && a[c+1].Compare(a[c]) < 0 {
			c++
		}
		if c >= n || last.Compare(a[c]) <= 0 {
			a[i] = last
			break
		}
		a[i], i = a[c], c
	}
	return top
}
