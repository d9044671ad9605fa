// Command own-marking is weft with an AQM of one's own.
package main

import (
	"os"

	"weft"
	"weft/cli"
)

func main() {
	reg := weft.Builtin()
	if err := reg.Markings.Add(codel()); err != nil {
		panic(err) // the name is taken, or a tag is wrong
	}
	os.Exit(cli.Main(reg))
}
