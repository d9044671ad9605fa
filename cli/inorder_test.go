package cli

import (
	"errors"
	"runtime"
	"sync/atomic"
	"testing"
)

// TestInOrder yields all values in order, few at a time, and stops when asked to.
func TestInOrder(t *testing.T) {
	var begun atomic.Int64
	odd := errors.New("odd")
	make1 := func(i int) (int, error) {
		begun.Add(1)
		if i%2 == 1 {
			return 0, odd
		}
		return 10 * i, nil
	}
	next := 0
	for i, v := range inOrder(20, make1, nil) {
		if i != next || v.err == nil && v.value != 10*i || (v.err != nil) != (i%2 == 1) {
			t.Fatalf("value %d is %+v, want number %d", i, v, next)
		}
		next++
		if ahead := int(begun.Load()) - next; ahead > runtime.GOMAXPROCS(0) {
			t.Fatalf("%d values are ahead", ahead)
		}
	}
	if next != 20 {
		t.Errorf("%d values, want 20", next)
	}
	for i := range inOrder(1000, make1, nil) {
		if i == 3 {
			break
		}
	}
	if n := begun.Load(); n > 40 {
		t.Errorf("%d values were begun, though nobody wanted them", n)
	}
	for range inOrder(0, make1, nil) {
		t.Error("nothing yields a value")
	}
}
