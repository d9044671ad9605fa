package scenario

import (
	"bufio"
	"os"
	"strconv"
	"strings"

	"weft/unit"
)

// peakMemory returns the peak resident memory of the process, since it began or since the
// kernel's record was reset. It is 0 where the system does not report it.
func peakMemory() unit.Bytes {
	if f, err := os.Open("/proc/self/status"); err == nil {
		defer f.Close()
		for s := bufio.NewScanner(f); s.Scan(); {
			peak, ok := strings.CutPrefix(s.Text(), "VmHWM:")
			if kib, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(peak, "kB")), 10, 64); ok && err == nil {
				return unit.Bytes(kib) * unit.KiB
			}
		}
	}
	return peakOfProcess()
}
