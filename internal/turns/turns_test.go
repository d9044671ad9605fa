package turns

import (
	"slices"
	"testing"
)

func TestTurns(t *testing.T) {
	groups := Groups([]int{12, 21, 11, 35, 23, 17}, func(n int) int { return n / 10 })
	if want := [][]int{{12, 11, 17}, {21, 23}, {35}}; !slices.EqualFunc(groups, want, slices.Equal[[]int]) {
		t.Errorf("groups %v, want %v", groups, want)
	}
	if list, want := Take(groups), []int{12, 21, 35, 11, 23, 17}; !slices.Equal(list, want) {
		t.Errorf("in turn %v, want %v", list, want)
	}
	if list := Take[int](nil); list != nil {
		t.Errorf("of nothing %v", list)
	}
}
