//go:build !linux

package study

// resetPeakMemory does nothing where the system cannot forget a peak: a run shows
// the largest memory of its process.
func resetPeakMemory() {}
