package main

import (
	"flag"
	"fmt"
	"os"
)

// boundsFile is the file of bounds, relative to the root of the repository.
const boundsFile = "internal/knots/bounds.txt"

func main() {
	write := flag.Bool("write", false, "make today's numbers the bounds")
	flag.Parse()
	if err := run(*write); err != nil {
		fmt.Fprintln(os.Stderr, "knots:", err)
		os.Exit(1)
	}
}

func run(write bool) error {
	t, err := load(".")
	if err != nil {
		return err
	}
	sets := report(t)
	if write {
		return os.WriteFile(boundsFile, format(bounded(sets)), 0o666)
	}
	_, err = os.Stdout.Write(format(sets))
	return err
}
