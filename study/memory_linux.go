package study

import "os"

// resetPeakMemory makes the kernel forget the largest resident memory so far, so
// that each run of a process shows its own. Where that is not allowed, a run shows
// the largest of the process.
func resetPeakMemory() {
	const peak = "5"
	_ = os.WriteFile("/proc/self/clear_refs", []byte(peak), 0)
}
