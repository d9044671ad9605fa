package study

import "os"

// resetPeakMemory makes the kernel reset the peak resident memory, so that each run of a
// process reports its own. Where that is not allowed, a run reports the peak of the whole
// process.
func resetPeakMemory() {
	const peak = "5"
	_ = os.WriteFile("/proc/self/clear_refs", []byte(peak), 0)
}
