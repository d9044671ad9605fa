// Command weft simulates datacenter and HPC fabrics from scenario files.
package main

import (
	"os"

	"weft"
	"weft/cli"
)

func main() { os.Exit(cli.Main(weft.Builtin())) }
