// Command weft-queue is weft with the queue for studies on many machines.
package main

import (
	"os"

	"weft"
	"weft/cli"
	"weft/papers/ledgers"
	"weft/study/jetstream"
)

func main() {
	os.Exit(cli.Main(weft.Builtin(), cli.Ledgers(ledgers.All()), cli.Queue(jetstream.Queue())))
}
