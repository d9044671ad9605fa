// Package matrix reads and writes connection matrices in htsim's text format (.cm): who sends how
// much to whom, and when or after what.
//
// A file has a header of keys and counts, then one item per line; # begins a comment:
//
//	Nodes 16
//	Connections 3
//	Triggers 1
//	0->5 id 1 start 0 size 1000000 send_done_trigger 1
//	5->6 id 2 trigger 1 size 2000000
//	0->5 id 1 msg start 5000000 size 4096
//	trigger id 1 oneshot
//
// Hosts count from 0, and starts are in picoseconds. A connection has either a start time or a
// trigger that starts it. Connections activate triggers when they are done: when their sender knows
// that everything is acknowledged (send_done_trigger), or when everything is delivered
// (recv_done_trigger). When activated, a oneshot starts all connections that wait for it. A
// multishot starts the next of them in the order of the file. A barrier starts all of them after
// count activations. A line with msg is a message of the connection with that id; the first line
// with an id opens the connection, whether it has msg or not.
package matrix

import (
	"bufio"
	"fmt"
	"io"

	"weft/unit"
)

// Kind is the behaviour of a trigger when it is activated.
type Kind string

// Kinds of trigger.
const (
	Oneshot   Kind = "oneshot"
	Multishot Kind = "multishot"
	Barrier   Kind = "barrier"
)

// Matrix is the content of a file.
type Matrix struct {
	// Nodes is the number of hosts.
	Nodes       int
	Connections []Connection
	Triggers    []Trigger
	Failures    []Failure
	// Notices lists what the reader or writer of the file should know although nothing is wrong.
	Notices []string
}

// Connection is a message. If Message is set, it belongs to an earlier connection.
type Connection struct {
	Src, Dst int32
	// ID is 0 if there is none.
	ID   uint32
	Size unit.Bytes
	// Start is its start time, unless Trigger is the ID of the trigger that starts it.
	Start   unit.Time
	Trigger uint32
	// SendDone and RecvDone are the IDs of the triggers that it activates, 0 for none.
	SendDone, RecvDone uint32
	Message            bool
	// Priority and Addon are keys that some simulators accept.
	Priority *int64
	Addon    bool

	line int // from 1; 0 if it was not read
}

// Trigger starts connections.
type Trigger struct {
	ID   uint32
	Kind Kind
	// Count is the number of activations that a barrier waits for.
	Count int

	line int
}

// Failure is a failed link of a switch in a fat tree.
type Failure struct {
	SwitchType string // TOR, AGG or CORE
	Switch     int
	Link       int
}

// Write writes a matrix, after the lines of a comment.
func (m *Matrix) Write(w io.Writer, comment ...string) error {
	b := bufio.NewWriter(w)
	for _, line := range comment {
		fmt.Fprintf(b, "# %s\n", line)
	}
	fmt.Fprintf(b, "Nodes %d\nConnections %d\n", m.Nodes, len(m.Connections))
	if len(m.Triggers) > 0 {
		fmt.Fprintf(b, "Triggers %d\n", len(m.Triggers))
	}
	if len(m.Failures) > 0 {
		fmt.Fprintf(b, "Failures %d\n", len(m.Failures))
	}
	for _, c := range m.Connections {
		fmt.Fprintf(b, "%d->%d", c.Src, c.Dst)
		if c.ID > 0 {
			fmt.Fprintf(b, " id %d", c.ID)
		}
		if c.Message {
			fmt.Fprint(b, " msg")
		}
		if c.Trigger > 0 {
			fmt.Fprintf(b, " trigger %d", c.Trigger)
		} else {
			fmt.Fprintf(b, " start %d", int64(c.Start))
		}
		fmt.Fprintf(b, " size %d", int64(c.Size))
		if c.SendDone > 0 {
			fmt.Fprintf(b, " send_done_trigger %d", c.SendDone)
		}
		if c.RecvDone > 0 {
			fmt.Fprintf(b, " recv_done_trigger %d", c.RecvDone)
		}
		if c.Priority != nil {
			fmt.Fprintf(b, " prio %d", *c.Priority)
		}
		if c.Addon {
			fmt.Fprint(b, " addon")
		}
		fmt.Fprintln(b)
	}
	for _, t := range m.Triggers {
		fmt.Fprintf(b, "trigger id %d %s", t.ID, t.Kind)
		if t.Kind == Barrier {
			fmt.Fprintf(b, " count %d", t.Count)
		}
		fmt.Fprintln(b)
	}
	for _, f := range m.Failures {
		fmt.Fprintf(b, "failure switch_type %s switch_id %d link_id %d\n", f.SwitchType, f.Switch, f.Link)
	}
	return b.Flush()
}

// Append adds the items of another matrix over the same hosts, with new IDs.
func (m *Matrix) Append(o *Matrix) {
	var id, trigger uint32
	for _, c := range m.Connections {
		id = max(id, c.ID)
	}
	for _, t := range m.Triggers {
		trigger = max(trigger, t.ID)
	}
	shift := func(id *uint32, by uint32) {
		if *id > 0 {
			*id += by
		}
	}
	m.Nodes = max(m.Nodes, o.Nodes)
	for _, c := range o.Connections {
		shift(&c.ID, id)
		for _, t := range []*uint32{&c.Trigger, &c.SendDone, &c.RecvDone} {
			shift(t, trigger)
		}
		m.Connections = append(m.Connections, c)
	}
	for _, t := range o.Triggers {
		t.ID += trigger
		m.Triggers = append(m.Triggers, t)
	}
	m.Failures = append(m.Failures, o.Failures...)
	m.Notices = append(m.Notices, o.Notices...)
}
