package transports

import (
	"fmt"
	"strings"
	"testing"

	"weft/protocol"
)

func TestNames(t *testing.T) {
	cs, bs, err := catalogs()
	if err != nil {
		t.Fatal(err)
	}
	t.Log(names(cs, usable))
	t.Log(names(bs, spreads))
	for _, c := range cs.Entries() {
		built, err := c.BuildDefault()
		if err != nil {
			t.Fatal(err)
		}
		fmt.Println(c.Name, usable(built))
	}
	for _, c := range bs.Entries() {
		built, err := c.BuildDefault()
		if err != nil {
			t.Fatal(err)
		}
		fmt.Println(c.Name, spreads(built))
	}
	for _, n := range [][2]string{{"", ""}, {"dctcp", "reps"}, {"sird", "arcane"}, {"hpcc", ""}, {"tcp", ""}, {"xx", ""}, {"sird", "mprdma"}, {"homa", ""}, {"", "oblivious"}, {"", "mptcp"}} {
		b, err := Build(n[0], n[1])
		fmt.Println(n, b.Name, b.Hash, err)
	}
	_ = protocol.Marked
	_ = strings.Join
}
