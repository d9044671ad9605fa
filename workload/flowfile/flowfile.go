// Package flowfile reads and writes the flow files and completion-time files of HPCC's and
// ConWeave's simulators. Both number the nodes of a topology, hosts and switches together, from 0.
//
// A flow file (flow.txt) begins with the number of flows. Then each flow has a line
//
//	SRC DST PG DPORT SIZE START
//
// with the nodes of the sender and the receiver, the priority group, the receiver's port, the
// payload in bytes and the start in seconds. The simulators stop reading after that number of
// flows, so people lower it to run only a few. The simulators' own files explain the format below
// the flows.
package flowfile

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"weft/unit"
)

// File is the content of a flow file.
type File struct {
	Flows []Flow
	// Notices lists what the reader of the file should know although nothing is wrong.
	Notices []string
}

// Flow is one message.
type Flow struct {
	// Src and Dst are node numbers.
	Src, Dst int32
	// Priority is the priority group, and Port the receiver's port.
	Priority, Port int64
	// Size is the payload in bytes.
	Size unit.Bytes
	// Start is the time since the begin of the run.
	Start unit.Time
	// Line is the line that it was read from, counted from 1.
	Line int
}

// Priority and port of flows written by the simulators' own generators.
const (
	UsualPriority = 3
	UsualPort     = 100
)

// Write writes a flow file. Start times are exact to the picosecond.
func Write(w io.Writer, flows []Flow) error {
	b := bufio.NewWriter(w)
	fmt.Fprintln(b, len(flows))
	for i := range flows {
		f := &flows[i]
		fmt.Fprintf(b, "%d %d %d %d %d %s\n", f.Src, f.Dst, f.Priority, f.Port, int64(f.Size), seconds(f.Start))
	}
	return b.Flush()
}

// seconds formats a time in seconds, to nanoseconds or, if needed, picoseconds.
func seconds(t unit.Time) string {
	text := fmt.Sprintf("%d.%012d", t/unit.Second, t%unit.Second)
	return strings.TrimSuffix(text, "000")
}
