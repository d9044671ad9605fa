//go:build unix

package scenario

import (
	"runtime"
	"syscall"
	"time"

	"weft/unit"
)

// processorTime returns the processor time that the process has used.
func processorTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// peakOfProcess returns the peak resident memory of the process since it began. Darwin
// counts it in bytes, other systems in KiB.
func peakOfProcess() unit.Bytes {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" {
		return unit.Bytes(u.Maxrss)
	}
	return unit.Bytes(u.Maxrss) * unit.KiB
}
