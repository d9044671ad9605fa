package scenario

import (
	"bufio"
	"fmt"
	"os"
	"strings"

	"weft/topo"
	"weft/unit"
)

// What a network takes at the least, beside what is under way: a directed link
// with its queue, and a host with its connections.
const (
	bytesPerPort = 1 * unit.KiB
	bytesPerHost = 4 * unit.KiB

	// alwaysThere is what no machine lacks: asking the system takes longer than a
	// small run.
	alwaysThere = 16 * unit.MiB
)

// checkMemory refuses a topology that the machine's memory cannot hold.
func checkMemory(g *topo.Graph) error {
	need := unit.Bytes(2*len(g.Links))*bytesPerPort + unit.Bytes(len(g.Hosts))*bytesPerHost
	if need <= alwaysThere {
		return nil
	}
	have, ok := availableMemory()
	if ok && need > have {
		return fmt.Errorf("%d hosts and %d links need at least %v of memory, and %v is available; simulate a smaller network or use a larger machine",
			len(g.Hosts), len(g.Links), need, have)
	}
	return nil
}

// availableMemory returns what the kernel says can be allocated, if it does.
func availableMemory() (unit.Bytes, bool) {
	f, err := os.Open("/proc/meminfo")
	if err != nil {
		return 0, false
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		var kib int64
		if n, _ := fmt.Sscanf(strings.TrimSpace(s.Text()), "MemAvailable: %d kB", &kib); n == 1 {
			return unit.Bytes(kib) * unit.KiB, true
		}
	}
	return 0, false
}
