package scenario

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"weft/problem"
	"weft/unit"
	"weft/workload"
	"weft/workload/flowfile"
	"weft/workload/matrix"
)

// Connections writes the workload of a scenario as a connection matrix. It covers the
// messages of one group of traffic, or of all groups if none is named. Traffic that would
// go on to the end of the run is listed up to until.
func (s *Scenario) Connections(group string) (*matrix.Matrix, error) {
	p, err := s.plan(nil)
	if err != nil {
		return nil, err
	}
	return s.connections(p, group)
}

// FlowFile writes the workload as a flow file of the simulators of HPCC and ConWeave, where
// a host's number is its node's number in the topology.
func (s *Scenario) FlowFile(group string) (*flowfile.File, error) {
	p, err := s.plan(nil)
	if err != nil {
		return nil, err
	}
	m, err := s.connections(p, group)
	if err != nil {
		return nil, err
	}
	if len(m.Triggers) > 0 {
		return nil, s.wrong("traffic", problem.New("messages start when others end, but in a file of flows each has a start").Mend("write a connection matrix (--format cm), or leave these groups out with --group"))
	}
	slices.SortStableFunc(m.Connections, func(a, b matrix.Connection) int { return cmp.Compare(a.Start, b.Start) })
	out := &flowfile.File{Notices: m.Notices}
	rounded := 0
	for _, c := range m.Connections {
		if c.Start%unit.Nanosecond != 0 {
			rounded++
		}
		out.Flows = append(out.Flows, flowfile.Flow{
			Src: int32(p.graph.Hosts[c.Src]), Dst: int32(p.graph.Hosts[c.Dst]),
			Priority: flowfile.UsualPriority, Port: flowfile.UsualPort, Size: c.Size, Start: c.Start,
		})
	}
	if rounded > 0 {
		out.Notices = append(out.Notices, fmt.Sprintf("%d starts have a fraction of a nanosecond, which the simulators cut off; weft reads them exactly", rounded))
	}
	return out, nil
}

// connections does the work of Connections for a plan.
func (s *Scenario) connections(p *plan, group string) (*matrix.Matrix, error) {
	until := p.times.until
	out := &matrix.Matrix{Nodes: len(p.graph.Hosts)}
	var written []string
	for i := range s.Traffic {
		t := &s.Traffic[i]
		if group != "" && t.Name != group {
			continue
		}
		written = append(written, t.Name)
		if t.Reply != nil {
			return nil, s.wrong(fmt.Sprintf("traffic[%d].reply", i), problem.New("replies start when their messages arrive, at times that a connection matrix cannot list in advance").Mend("remove this"))
		}
		traffic, setting, err := p.traffic(t)
		path := "traffic[" + strconv.Itoa(i) + "]"
		if err != nil {
			return nil, s.wrong(path, err)
		}
		setting.PerPair = t.Transport.Connection == perPair
		if until == unit.Forever && traffic.Stop == 0 {
			if _, ends := traffic.Arrival.Messages(1); !ends {
				return nil, s.wrong(path+".arrival", problem.New("%s never ends", t.Arrival.Kind).Mend("set the end of the list, as in until: 10ms"))
			}
		}
		m, err := workload.Matrix(traffic, setting, until)
		if err != nil {
			if _, ok := traffic.Pattern.(workload.Ordered); ok {
				path += ".pattern"
			}
			return nil, s.wrong(path, err)
		}
		out.Append(m)
	}
	if len(written) > 1 {
		// Random choices depend on the group and the ordinals of its hosts.
		out.Notices = append(out.Notices, fmt.Sprintf("%s become one group when the file is read, with other random choices (as of paths) than as separate groups; for the same result write each with --group, and read it in a group of its name",
			strings.Join(written, ", ")))
	}
	if len(written) == 0 {
		return nil, fmt.Errorf("no group of traffic is named %q; the groups are %s", group, s.groupNames())
	}
	return out, nil
}

func (s *Scenario) groupNames() (names string) {
	for i := range s.Traffic {
		if i > 0 {
			names += ", "
		}
		names += s.Traffic[i].Name
	}
	return names
}
