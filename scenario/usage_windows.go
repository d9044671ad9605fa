package scenario

import (
	"syscall"
	"time"

	"weft/unit"
)

// processorTime returns the processor time that the process has used.
func processorTime() time.Duration {
	process, err := syscall.GetCurrentProcess()
	if err != nil {
		return 0
	}
	var created, exited, kernel, user syscall.Filetime
	if syscall.GetProcessTimes(process, &created, &exited, &kernel, &user) != nil {
		return 0
	}
	const tick = 100 * time.Nanosecond // the unit of a Filetime that is a length
	length := func(f syscall.Filetime) time.Duration {
		return time.Duration(int64(f.HighDateTime)<<32|int64(f.LowDateTime)) * tick
	}
	return length(kernel) + length(user)
}

// peakOfProcess returns 0, since the standard library cannot ask for it.
func peakOfProcess() unit.Bytes { return 0 }
