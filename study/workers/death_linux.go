package workers

import (
	"os/exec"
	"syscall"
)

// dieWithParent has the system kill the child when its parent dies, though it may
// be stuck and not see its standard input end.
func dieWithParent(c *exec.Cmd) {
	if c.SysProcAttr == nil {
		c.SysProcAttr = &syscall.SysProcAttr{}
	}
	c.SysProcAttr.Pdeathsig = syscall.SIGKILL
}
