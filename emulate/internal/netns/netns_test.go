//go:build linux

package netns

import (
	"fmt"
	"os"
	"testing"
)

// space is that of the tests, which run inside; why says why there is none.
var (
	space *Space
	why   error
)

func TestMain(m *testing.M) {
	if why = Available(); why == nil {
		s, status, err := Enter()
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		if s == nil {
			os.Exit(status)
		}
		space = s
	}
	os.Exit(m.Run())
}

func inside(t testing.TB) {
	if why != nil {
		t.Skip(why)
	}
}

func names(n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf("h%d", i)
	}
	return list
}
