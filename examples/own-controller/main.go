// Command own-controller is weft with a controller of switch queues of one's own.
package main

import (
	"os"

	"weft"
	"weft/cli"
)

func main() {
	reg := weft.Builtin()
	if err := reg.Congestion.Add(busiest()); err != nil {
		panic(err) // the name is taken, or a tag is wrong
	}
	os.Exit(cli.Main(reg))
}
