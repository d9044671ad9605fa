package main

import (
	"weft/catalog"
	"weft/protocol"
	"weft/unit"
)

// options are what a scenario can say, as in
//
//	balancer: {kind: walk, entropies: 64}
type options struct {
	Entropies int `yaml:"entropies" default:"256" min:"1" max:"65536" doc:"Entropies that a connection walks through."`
}

// walk is the entry under which scenarios find the balancer.
func walk() catalog.Entry[protocol.Balancer] {
	return catalog.Define("walk", "each connection walks through a set of entropies, starting from a random one", "",
		func(o options) (protocol.Balancer, error) {
			return protocol.Balancer{
				Oblivious: true, // needs nothing of the transport, since it learns nothing
				Entropies: o.Entropies,
				StateBits: 16,
				New: func(env protocol.Env) protocol.Entropy {
					return &walker{env: env, size: uint64(o.Entropies)}
				},
			}, nil
		})
}

// walker chooses the entropies of one connection.
type walker struct {
	env  protocol.Env
	size uint64
	at   uint64
}

func (w *walker) Start(unit.Time)  { w.at = w.env.Rand.Uint64() % w.size }
func (w *walker) Resume(unit.Time) {}

func (w *walker) Next(unit.Time) uint16 {
	w.at = (w.at + 1) % w.size
	return uint16(w.at)
}

func (w *walker) Acked(*protocol.Ack) {}
func (w *walker) Lost(*protocol.Loss) {}
