//go:build !linux

package workers

import "os/exec"

// dieWithParent does nothing: a child sees its standard input end.
func dieWithParent(*exec.Cmd) {}
