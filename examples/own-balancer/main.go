// Command own-balancer is weft with a balancer of one's own.
package main

import (
	"os"

	"weft"
	"weft/cli"
)

func main() {
	reg := weft.Builtin()
	if err := reg.Balancers.Add(walk()); err != nil {
		panic(err) // the name is taken, or a tag is wrong
	}
	os.Exit(cli.Main(reg))
}
