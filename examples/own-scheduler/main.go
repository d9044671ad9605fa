// Command own-scheduler is weft with a scheduler of one's own.
package main

import (
	"os"

	"weft"
	"weft/cli"
)

func main() {
	reg := weft.Builtin()
	if err := reg.Schedulers.Add(guarded()); err != nil {
		panic(err) // the name is taken, or a tag is wrong
	}
	os.Exit(cli.Main(reg))
}
