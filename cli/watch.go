package cli

import (
	"fmt"
	"iter"
	"runtime"
	"time"
)

// watch shows on a terminal how far something is that may take long. A nil one shows
// nothing.
type watch struct {
	*program
	what    string
	of, now int
	began   time.Time
	shown   bool
}

// watchMaker begins to watch so many steps of something.
type watchMaker func(what string, of int) *watch

func (p *program) newWatch(what string, of int) *watch {
	return &watch{program: p, what: what, of: of, began: time.Now()}
}

// silent watches nothing.
func silent(string, int) *watch { return nil }

func (w *watch) step() {
	if w == nil {
		return
	}
	w.now++
	took := time.Since(w.began)
	if took < time.Second || !isTerminal(w.stderr) {
		return
	}
	w.shown = true
	left := time.Duration(float64(took) * float64(w.of-w.now) / float64(w.now))
	fmt.Fprintf(w.stderr, "\r\x1b[K%s: %d of %d, about %s left", w.what, w.now, w.of, clock(left))
}

func (w *watch) end() {
	if w == nil {
		return
	}
	if w.shown {
		fmt.Fprint(w.stderr, "\r\x1b[K")
	}
	w.shown = false
}

// outcome is a value or why there is none.
type outcome[T any] struct {
	value T
	err   error
}

// inOrder makes n values, one a core at a time, and yields them in order. Few are ahead of
// what is yielded, so that memory holds few.
func inOrder[T any](n int, make1 func(i int) (T, error)) iter.Seq2[int, outcome[T]] {
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
			if !yield(i, v) {
				return
			}
		}
	}
}
