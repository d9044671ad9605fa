// Package flowfile reads and writes the files of flows, and those of their completion
// times, of HPCC's and ConWeave's simulators. Both number the nodes of a topology, hosts
// and switches together, from 0.
//
// A file of flows (flow.txt) begins with their number. Then a line per flow has
//
//	SRC DST PG DPORT SIZE START
//
// that is, the nodes of the sender and the receiver, the priority group, the receiver's
// port, the payload in bytes and the start in seconds. The simulators stop reading after as
// many flows, so people lower the number to run a few. Their own files explain the format
// below the flows.
package flowfile

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"weft/unit"
)

// File is the content of a file of flows.
type File struct {
	Flows []Flow
	// Notices are what whoever reads the file should know of it, though nothing is wrong.
	Notices []string
}

// Flow is one message.
type Flow struct {
	// Src and Dst are the numbers of two nodes.
	Src, Dst int32
	// Priority is the priority group, Port that of the receiver.
	Priority, Port int64
	// Size is the payload in bytes.
	Size unit.Bytes
	// Start is since the begin of the run.
	Start unit.Time
	// Line is where it was read, from 1.
	Line int
}

// Priority and port of the flows that the simulators' own generators write.
const (
	UsualPriority = 3
	UsualPort     = 100
)

// Write writes a file of flows. Starts are exact to the picosecond.
func Write(w io.Writer, flows []Flow) error {
	b := bufio.NewWriter(w)
	fmt.Fprintln(b, len(flows))
	for i := range flows {
		f := &flows[i]
		fmt.Fprintf(b, "%d %d %d %d %d %s\n", f.Src, f.Dst, f.Priority, f.Port, int64(f.Size), seconds(f.Start))
	}
	return b.Flush()
}

// seconds writes a time in seconds, to nanoseconds or, if it needs them, to picoseconds.
func seconds(t unit.Time) string {
	text := fmt.Sprintf("%d.%012d", t/unit.Second, t%unit.Second)
	return strings.TrimSuffix(text, "000")
}
