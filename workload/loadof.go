package workload

import (
	"math"

	"weft/problem"
	"weft/unit"
)

// LoadOf says what a load is relative to.
type LoadOf string

// What a load can be relative to. Code that knows the routes must determine which links are meant
// and what traffic they carry; see Traffic.Scaled.
const (
	OfHosts    LoadOf = "hosts" // also the meaning of ""
	OfUplinks  LoadOf = "uplinks"
	OfCore     LoadOf = "core"
	OfTightest LoadOf = "tightest"
)

func (o LoadOf) ofHosts() bool { return o == OfHosts || o == "" }

// Shares returns what the load of the traffic is relative to. ok is false if it has no load, or
// one relative to hosts' links.
func (t Traffic) Shares() (of LoadOf, ok bool) {
	if a, ok := t.Arrival.(Poisson); ok {
		of = a.Of
	}
	if b, ok := t.Pattern.(Bursts); ok {
		of = b.Of
	}
	return of, !of.ofHosts()
}

// Scaled converts loads relative to other links to loads relative to hosts' links. carried is the
// load of the other links when hosts send at the full rates of their links, as in the traffic
// that Full returns.
func (t Traffic) Scaled(carried float64) (Traffic, error) {
	scale := func(load *unit.Ratio, of LoadOf) (*unit.Ratio, error) {
		if carried <= 0 {
			return nil, problem.At("of", "of: no message passes the links that %s stands for", of).Mend("write of: %s", OfHosts)
		}
		own := unit.Ratio(float64(*load) / carried)
		if own > mostLoad {
			return nil, problem.At("of", "of: a load of %v of %s takes %.0f%% of the hosts' links; at most %v is allowed, so write load: %.0f%% or less",
				*load, of, 100*float64(own), unit.Ratio(mostLoad), math.Floor(100*mostLoad*carried))
		}
		return &own, nil
	}
	var err error
	if a, ok := t.Arrival.(Poisson); ok && !a.Of.ofHosts() {
		a.Load, err = scale(a.Load, a.Of)
		a.Of = OfHosts
		t.Arrival = a
	}
	if b, ok := t.Pattern.(Bursts); ok && err == nil && !b.Of.ofHosts() {
		b.Load, err = scale(b.Load, b.Of)
		b.Of = OfHosts
		t.Pattern = b
	}
	return t, err
}

// Full returns the traffic with hosts that send at the full rates of their links, for use with
// Scaled.
func (t Traffic) Full() Traffic {
	full := unit.Ratio(1)
	if a, ok := t.Arrival.(Poisson); ok {
		a.Load, a.Of = &full, OfHosts
		t.Arrival = a
	}
	if b, ok := t.Pattern.(Bursts); ok {
		b.Load, b.Of = &full, OfHosts
		t.Pattern = b
	}
	return t
}

// mostLoad is the largest load of hosts' links. Values above 1 are for studies of overload.
const mostLoad = 2
