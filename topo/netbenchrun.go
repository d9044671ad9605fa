package topo

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"weft/internal/userfile"
	"weft/problem"
	"weft/unit"
)

// NetbenchRun holds the properties of a netbench run that are about its network. The others
// are about traffic, routing and transports.
type NetbenchRun struct {
	// Topology is the path of the topology file, as written there.
	Topology string
	// HostsPerSwitch is the number of servers to add to each ToR, or 0 if the properties do
	// not say.
	HostsPerSwitch int
	// Rate and Delay apply to all links. They are nil if the properties do not say.
	Rate  *unit.Rate
	Delay *unit.Time
}

// The properties of a run that are about its network.
const (
	netbenchFile       = "scenario_topology_file"
	netbenchExtend     = "scenario_topology_extend_with_servers"
	netbenchExtendBy   = "scenario_topology_extend_servers_per_tl_node"
	netbenchDelay      = "link_delay_ns"
	netbenchRate       = "link_bandwidth_bit_per_ns"
	netbenchProperties = ".properties"
)

// ReadNetbenchRun reads the properties of a run, lines of key=value. Messages begin with
// name, the line and the column. It ignores properties that are not about the network.
func ReadNetbenchRun(r io.Reader, name string) (NetbenchRun, error) {
	a, lines := newAssembly(Defaults{}, inFile(name)), newFieldReader(r)
	var run NetbenchRun
	at := map[string]place{}
	values := map[string]string{}
	for lines.next() {
		key, value, found := strings.Cut(lines.text, "=")
		switch key = strings.TrimSpace(key); key {
		case netbenchFile, netbenchExtend, netbenchExtendBy, netbenchDelay, netbenchRate:
		default:
			continue
		}
		if before, twice := at[key]; twice {
			return run, a.errorf(lines.begin(), "%s is already given (%s)", key, a.show(before))
		}
		if value = strings.TrimSpace(value); !found || value == "" {
			return run, a.errorf(lines.begin(), "%w", problem.New("%s has no value", key).Mend("write %s=VALUE", key))
		}
		at[key], values[key] = lines.begin(), value
	}
	if err := lines.err(a); err != nil {
		return run, err
	}
	if run.Topology = values[netbenchFile]; run.Topology == "" {
		return run, a.errorf(place{}, "%s is missing; it names the topology of a run of netbench", netbenchFile)
	}
	if text, ok := values[netbenchExtend]; ok {
		if text != "regular" {
			return run, a.errorf(at[netbenchExtend], "%s is %q; only regular is supported", netbenchExtend, shorten(text))
		}
		by, ok := values[netbenchExtendBy]
		if !ok {
			return run, a.errorf(at[netbenchExtend], "%s is missing: the number of servers per ToR", netbenchExtendBy)
		}
		n, err := whole(by, 1)
		if err != nil {
			return run, a.errorf(at[netbenchExtendBy], "%s: %w", netbenchExtendBy, err)
		}
		run.HostsPerSwitch = n
	}
	if text, ok := values[netbenchRate]; ok {
		rate, err := unit.ParseRate(text + "Gbps")
		if err == nil && rate <= 0 {
			err = errors.New("a link of rate 0 carries nothing")
		}
		if err != nil {
			return run, a.errorf(at[netbenchRate], "%s: %w", netbenchRate, err)
		}
		run.Rate = &rate
	}
	if text, ok := values[netbenchDelay]; ok {
		delay, err := unit.ParseTime(text + "ns")
		if err != nil {
			return run, a.errorf(at[netbenchDelay], "%s: %w", netbenchDelay, err)
		}
		run.Delay = &delay
	}
	return run, nil
}

// over returns the defaults d, overridden by the properties.
func (r NetbenchRun) over(d Defaults) Defaults {
	if r.Rate != nil {
		d.Rate, d.UplinkRate = *r.Rate, *r.Rate
	}
	if r.Delay != nil {
		d.Delay = *r.Delay
	}
	if r.HostsPerSwitch > 0 {
		d.HostsPerSwitch = r.HostsPerSwitch
	}
	return d
}

// readNetbenchRun reads the network of a run: the topology file that its properties name.
// netbench runs in the folder of its sources, so the file may be in the folder of the
// properties or in one above.
func readNetbenchRun(path string, d Defaults) (*Graph, error) {
	run, places, err := netbenchTopologies(path)
	if err != nil {
		return nil, err
	}
	for _, topology := range places {
		text, err := userfile.Open(topology, MaxFile)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("reading a graph: %w", err)
		}
		defer text.Close()
		return ReadNetbench(text, topology, run.over(d))
	}
	return nil, fmt.Errorf("%s: the topology %s is neither in this folder nor in a parent; correct %s", path, run.Topology, netbenchFile)
}

// Companions lists, in order, the places where ReadFile looks for another file that a graph
// file refers to. It reads the first that exists. Only properties of netbench refer to
// another file.
func Companions(path string) ([]string, error) {
	if !isNetbenchRun(path) {
		return nil, nil
	}
	_, places, err := netbenchTopologies(path)
	return places, err
}

// netbenchTopologies reads the properties of a run, and lists the possible places of its
// topology.
func netbenchTopologies(path string) (NetbenchRun, []string, error) {
	file, err := userfile.Open(path, MaxFile)
	if err != nil {
		return NetbenchRun{}, nil, fmt.Errorf("reading a graph: %w", err)
	}
	defer file.Close()
	run, err := ReadNetbenchRun(file, path)
	if err != nil {
		return run, nil, err
	}
	if filepath.IsAbs(run.Topology) {
		return run, []string{run.Topology}, nil
	}
	folder, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		return run, nil, fmt.Errorf("reading a graph: %w", err)
	}
	var places []string
	for {
		places = append(places, filepath.Join(folder, run.Topology))
		above := filepath.Dir(folder)
		if above == folder {
			return run, places, nil
		}
		folder = above
	}
}

// isNetbenchRun recognises properties of netbench by their extension.
func isNetbenchRun(path string) bool {
	return strings.EqualFold(filepath.Ext(path), netbenchProperties)
}
