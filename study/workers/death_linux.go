package workers

import (
	"os/exec"
	"syscall"
)

// dieWithParent makes the system kill the child when its parent dies. The child may be
// stuck and not notice the end of its standard input.
func dieWithParent(c *exec.Cmd) {
	if c.SysProcAttr == nil {
		c.SysProcAttr = &syscall.SysProcAttr{}
	}
	c.SysProcAttr.Pdeathsig = syscall.SIGKILL
}
