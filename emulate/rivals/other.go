//go:build !linux

package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "rivals: it needs Linux: network namespaces and its TCP")
	os.Exit(1)
}
