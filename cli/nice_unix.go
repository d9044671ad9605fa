//go:build unix

package cli

import "syscall"

// yieldProcessor lets other processes go first.
func yieldProcessor() { _ = syscall.Setpriority(syscall.PRIO_PROCESS, 0, workerNice) }
