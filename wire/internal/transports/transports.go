// Package transports finds congestion controls and balancers by the names that scenario files
// use, and makes host transports of them for endpoints. It refuses those that need more than a
// host has, according to the needs that they declare.
package transports

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"weft/catalog"
	"weft/internal/connection/hosted"
	"weft/problem"
	"weft/protocol"
	"weft/protocol/arcane"
	"weft/protocol/congestion"
	"weft/protocol/dart"
	"weft/protocol/dcpim"
	"weft/protocol/entropy"
	"weft/protocol/eqds"
	"weft/protocol/expresspass"
	"weft/protocol/homa"
	"weft/protocol/ndp"
	"weft/protocol/phost"
	"weft/protocol/sird"
	"weft/wire/internal/tape"
)

// Defaults for endpoints.
const (
	defaultTransport = "sird"
	defaultBalancer  = "ops"
)

// Built is a transport with a balancer.
type Built struct {
	// Transport is the host transport. Balancer chooses entropies in its carrier. Transports made
	// of connections have a balancer of their own; their carrier's balancer then only ends bursts
	// where runs end (protocol.Balancer.Run).
	Transport protocol.CongestionControl
	Balancer  protocol.Balancer
	// Name identifies both in a recording.
	Name tape.Name
	// Hash identifies both with their options.
	Hash uint32
}

// Build makes a transport and a balancer with default options. Empty names select the defaults.
func Build(transport, balancer string) (b Built, err error) {
	cs, bs, err := catalogs()
	if err != nil {
		return b, err
	}
	t, err := find("Transport", transport, defaultTransport, cs, usable)
	if err != nil {
		return b, err
	}
	with, err := find("Balancer", balancer, defaultBalancer, bs, spreads)
	if err != nil {
		return b, err
	}
	return assemble(t, with)
}

// Replay makes a recorded transport.
func Replay(n tape.Name) (protocol.CongestionControl, error) {
	b, err := Build(n.Transport, n.Balancer)
	return b.Transport, err
}

// catalogs returns all entries.
func catalogs() (controls *catalog.Set[protocol.CongestionControl], balancers *catalog.Set[protocol.Balancer], err error) {
	controls, balancers = new(catalog.Set[protocol.CongestionControl]), new(catalog.Set[protocol.Balancer])
	for _, list := range [][]catalog.Entry[protocol.CongestionControl]{
		sird.Entries(), congestion.Entries(), dart.Entries(), homa.Entries(), dcpim.Entries(), phost.Entries(), expresspass.Entries(), eqds.Entries(), ndp.Entries(),
	} {
		if err := controls.Add(list...); err != nil {
			return nil, nil, err
		}
	}
	for _, list := range [][]catalog.Entry[protocol.Balancer]{entropy.Entries(), arcane.Entries()} {
		if err := balancers.Add(list...); err != nil {
			return nil, nil, err
		}
	}
	return controls, balancers, nil
}

// find returns the entry with a name, or with the one name that is known elsewhere by it. Its
// error lists the usable names.
func find[R any](field, name, otherwise string, from *catalog.Set[R], can func(R) error) (e catalog.Entry[R], err error) {
	if name == "" {
		name = otherwise
	}
	e, ok := from.Lookup(name)
	if called := catalog.Called(name, from); !ok && len(called) == 1 {
		e, ok = from.Lookup(called[0])
	}
	why := "there is none of this name"
	if ok {
		built, err := e.BuildDefault()
		if err == nil {
			err = can(built)
		}
		if err == nil {
			return e, nil
		}
		why = err.Error()
	}
	return e, problem.New("%s is %.40q, but %s", field, name, why).Mend("use one of %s", strings.Join(names(from, can), ", "))
}

// names lists the usable entries.
func names[R any](from *catalog.Set[R], can func(R) error) (list []string) {
	for _, e := range from.Entries() {
		if built, err := e.BuildDefault(); err == nil && can(built) == nil {
			list = append(list, e.Name)
		}
	}
	slices.Sort(list)
	return list
}

// usable returns why a host cannot use a control with any balancer that hosts can use.
func usable(c protocol.CongestionControl) error { return hosted.CheckControl(&c) }

// spreads returns why a host cannot use a balancer with any control that hosts can use.
func spreads(b protocol.Balancer) error {
	return hosted.CheckBalancer(&b, protocol.AllNeeds)
}

// Custom combines a transport and a balancer that need not be in the catalogs. Peers compare only
// the name.
func Custom(name string, control protocol.CongestionControl, with protocol.Balancer) (b Built, err error) {
	if name == "" {
		return b, problem.New("Custom of the configuration has no name").Mend("give it one that says its options")
	}
	if err := usable(control); err != nil {
		return b, fmt.Errorf("the control of %s: %w", name, err)
	}
	if err := hosted.CheckBalancer(&with, control.Provides()); err != nil {
		return b, fmt.Errorf("the balancer of %s: %w", name, err)
	}
	b = Built{Transport: control, Balancer: with, Name: tape.Name{Transport: name}}
	sum := fnv.New32a()
	fmt.Fprintf(sum, "%s custom %d", name, version)
	b.Hash = sum.Sum32()
	return b, b.connect(with)
}

// connect replaces a control of connections by a host transport, which includes the balancer.
func (b *Built) connect(with protocol.Balancer) (err error) {
	if b.Transport.NewHost != nil {
		return nil
	}
	if b.Transport, err = hosted.Control(b.Transport, with); err != nil {
		return err
	}
	b.Balancer, err = catalog.BuildDefault(entropy.Entries(), defaultBalancer)
	b.Balancer.Run = with.Run
	return err
}

// assemble combines a transport and a balancer.
func assemble(t catalog.Entry[protocol.CongestionControl], with catalog.Entry[protocol.Balancer]) (b Built, err error) {
	if b.Transport, err = t.BuildDefault(); err != nil {
		return b, err
	}
	if b.Balancer, err = with.BuildDefault(); err != nil {
		return b, err
	}
	if err := hosted.CheckBalancer(&b.Balancer, b.Transport.Provides()); err != nil {
		return b, problem.New("Balancer is %s, with transport %s: %w", with.Name, t.Name, err).Mend("choose another balancer, such as %s", defaultBalancer)
	}
	b.Name = tape.Name{Transport: t.Name}
	if b.Transport.NewHost == nil {
		b.Name.Balancer = with.Name
		if err := b.connect(b.Balancer); err != nil {
			return b, err
		}
	}
	b.Hash, err = hash(t, with)
	return b, err
}

// hash returns a hash of the entries with their default options.
func hash(t catalog.Entry[protocol.CongestionControl], with catalog.Entry[protocol.Balancer]) (uint32, error) {
	sum := fnv.New32a()
	to := json.NewEncoder(sum)
	for _, e := range []interface{ Defaults() (any, error) }{t, with} {
		options, err := e.Defaults()
		if err != nil {
			return 0, err
		}
		if err := to.Encode(options); err != nil {
			return 0, err
		}
	}
	if _, err := fmt.Fprintf(sum, "%s %s %d", t.Name, with.Name, version); err != nil {
		return 0, err
	}
	return sum.Sum32(), nil
}

// version is the version of the meaning of packets. It must be raised when the meaning
// changes.
const version = 2
