package cli

import (
	"iter"
	"runtime"
)

// outcome is a value or why there is none.
type outcome[T any] struct {
	value T
	err   error
}

// inOrder makes n values, one a core at a time, and yields them in order. Few are ahead of
// what is yielded, so that memory holds few. Progress, if it is not nil, is told which share
// is made.
func inOrder[T any](n int, make1 func(i int) (T, error), progress func(share float64)) iter.Seq2[int, outcome[T]] {
	return func(yield func(int, outcome[T]) bool) {
		var ahead []chan outcome[T]
		begin := func(i int) {
			done := make(chan outcome[T], 1)
			ahead = append(ahead, done)
			go func() {
				v, err := make1(i)
				done <- outcome[T]{v, err}
			}()
		}
		cores := runtime.GOMAXPROCS(0)
		for i := range min(n, cores) {
			begin(i)
		}
		for i := range n {
			v := <-ahead[0]
			ahead = ahead[1:]
			if next := i + cores; next < n {
				begin(next)
			}
			if progress != nil {
				progress(float64(i+1) / float64(n))
			}
			if !yield(i, v) {
				return
			}
		}
	}
}
