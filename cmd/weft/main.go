// Command weft simulates datacenter and HPC fabrics from scenario files.
package main

import (
	"os"

	"weft"
	"weft/cli"
	"weft/papers/ledgers"
)

func main() { os.Exit(cli.Main(weft.Builtin(), cli.Ledgers(ledgers.All()))) }
