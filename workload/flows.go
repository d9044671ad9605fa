package workload

import (
	"errors"
	"fmt"
	"slices"
	"syscall"

	"weft/catalog"
	"weft/internal/userfile"
	"weft/problem"
	"weft/unit"
	"weft/workload/flowfile"
	"weft/workload/matrix"
)

// FlowFile makes hosts send what a flow file of HPCC's or ConWeave's simulator lists. Hosts have
// their node numbers in the topology, as in the simulators' topology files and in those that weft
// topo export writes. Priority groups and ports have no effect.
type FlowFile struct {
	File   catalog.Path `yaml:"file" doc:"File of flows (flow.txt): their count, then SRC DST PG DPORT SIZE START; nodes by number, sizes in bytes of payload, starts in seconds."`
	Origin unit.Time    `yaml:"origin" default:"0s" doc:"Time in the file that is the group's start. HPCC's generator lets the first flows start after 2s." min:"0s"`
}

// Lists implements Ordered.
func (FlowFile) Lists() bool { return true }

// Resolve implements Pattern.
func (o FlowFile) Resolve(s Setting) (Destinations, error) {
	f, err := userfile.Open(string(o.File), maxMatrix)
	switch {
	case errors.Is(err, syscall.EISDIR):
		return nil, problem.At("file", "file: %s is a folder", o.File).Mend("name a file of flows (flow.txt), which weft matrix --format flows writes")
	case err != nil:
		return nil, problem.At("file", "file: the file of flows cannot be read: %w", err).Mend("a relative path starts from the scenario's folder, and weft matrix --format flows writes such a file")
	}
	defer f.Close()
	flows, err := flowfile.Read(f, string(o.File))
	if err != nil {
		return nil, problem.At("file", "file: %w", err)
	}
	m, err := o.matrix(flows, s)
	if err != nil {
		return nil, problem.At("file", "file: %w", err)
	}
	s.Members = make([]int32, s.Hosts) // numbers refer to all hosts
	for h := range s.Members {
		s.Members[h] = int32(h)
	}
	return newConnections(m, string(o.File), s)
}

// matrix converts flows to connections between hosts.
func (o FlowFile) matrix(flows *flowfile.File, s Setting) (*matrix.Matrix, error) {
	hosts := make(map[int32]int32, s.Hosts)
	first, last := s.node(0), s.node(0)
	for h := range int32(s.Hosts) {
		node := s.node(h)
		hosts[node] = h
		first, last = min(first, node), max(last, node)
	}
	m := &matrix.Matrix{Nodes: s.Hosts, Notices: flows.Notices}
	for i := range flows.Flows {
		f := &flows.Flows[i]
		wrong := func(format string, args ...any) error {
			return fmt.Errorf("%s:%d: %s", o.File, f.Line, fmt.Sprintf(format, args...))
		}
		c := matrix.Connection{Size: f.Size, Start: f.Start - o.Origin}
		for _, end := range []struct {
			node int32
			into *int32
		}{{f.Src, &c.Src}, {f.Dst, &c.Dst}} {
			h, ok := hosts[end.node]
			switch {
			case !ok && int(last-first) == s.Hosts-1:
				return nil, wrong("node %d is not a host; the hosts of the topology are the nodes %d to %d", end.node, first, last)
			case !ok:
				return nil, wrong("node %d is not a host; weft topo export --format hpcc shows the numbers of the %d hosts", end.node, s.Hosts)
			}
			*end.into = h
		}
		switch _, member := slices.BinarySearch(s.Members, c.Src); {
		case !member:
			return nil, wrong("%s (node %d) sends, but does not take part; add it to hosts, or remove the flow", s.HostName(c.Src), f.Src)
		case c.Start < 0:
			return nil, wrong("the flow starts at %v, before the origin of %v; make that earlier", f.Start, o.Origin)
		}
		if err := s.fits(c.Size); err != nil {
			return nil, wrong("%v", err)
		}
		m.Connections = append(m.Connections, c)
	}
	return m, nil
}
