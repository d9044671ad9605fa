package scenario

import (
	"bufio"
	"fmt"
	"math"
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
	// bytesPerMessage is what a message that is under way takes, and its row.
	bytesPerMessage = 256 * unit.Byte

	// alwaysThere is what no machine lacks: asking the system takes longer than a
	// small run.
	alwaysThere = 16 * unit.MiB
)

// checkMemory refuses a topology that the machine's memory cannot hold.
func checkMemory(g *topo.Graph) error {
	need := unit.Bytes(2*len(g.Links))*bytesPerPort + unit.Bytes(len(g.Hosts))*bytesPerHost
	if have, lacking := lacking(need); lacking {
		return fmt.Errorf("%d hosts and %d links need at least %.1f GiB of memory, and %.1f GiB is available; simulate a smaller network or use a larger machine",
			len(g.Hosts), len(g.Links), gib(need), gib(have))
	}
	return nil
}

// checkMessages refuses more messages that start at the same time than the machine's
// memory can hold.
func checkMessages(n int64) error {
	need := unit.Bytes(min(n, math.MaxInt64/int64(bytesPerMessage))) * bytesPerMessage
	if have, lacking := lacking(need); lacking {
		return fmt.Errorf("%d messages start at once and need at least %.1f GiB of memory, and %.1f GiB is available; give fewer, or let them start one after another, as in arrival: {kind: closed}",
			n, gib(need), gib(have))
	}
	return nil
}

func gib(b unit.Bytes) float64 { return float64(b) / float64(unit.GiB) }

// lacking tells whether there is less memory than needed, and how much there is.
func lacking(need unit.Bytes) (unit.Bytes, bool) {
	if need <= alwaysThere {
		return 0, false
	}
	have, ok := availableMemory()
	return have, ok && need > have
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
