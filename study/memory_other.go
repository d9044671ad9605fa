//go:build !linux

package study

// resetPeakMemory does nothing on systems that cannot reset the peak. A run then reports
// the peak of the whole process.
func resetPeakMemory() {}
