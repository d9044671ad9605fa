package protocol

import "weft/unit"

// Setup is what the source of a congestion control has around it: the balancer, the marking, the
// queue and the loss recovery with which it was published. A scenario that leaves one of them
// open gets the value stated here, and a notice. What is not stated keeps the default of the
// scenario format.
type Setup struct {
	// Balancer names an entry of the catalog.
	Balancer Stated[string]
	Marking  Stated[Law]
	Queue    Stated[Depth]
	// Recovery is a kind of transport.recovery. One that takes reordering for loss is brought only
	// where each flow keeps to one path.
	Recovery Stated[string]
}

// Stated is a value with the place where it is published.
type Stated[T any] struct {
	Value T
	// Source names paper and section, as in "SIGCOMM 2010, §3.5". Without it nothing is stated.
	Source string
}

// State returns a value with its source.
func State[T any](value T, source string) Stated[T] { return Stated[T]{value, source} }

// On tells whether a value is stated.
func (s Stated[T]) On() bool { return s.Source != "" }

// Law is a law of marking, as scenarios name it, with its thresholds. A share is of the queue's limit, whatever
// that is. Bandwidth-delay products go with the queue that the same Setup states: where a scenario sets a
// shorter one, they shrink with it.
type Law struct {
	// Name is "off", "threshold" or "red".
	Name string
	// KMin is the step of threshold, and the queue where red begins to mark; KMax is the queue from which
	// red marks every frame, and PMax its probability below that, 1 if it is 0.
	KMin, KMax unit.Amount
	PMax       unit.Ratio
	// Core leaves out ports to hosts.
	Core bool
}

// Unmarked is the law of fabrics that mark nothing.
var Unmarked = Law{Name: "off"}

// Step returns the law that marks every frame above a queue.
func Step(k unit.Amount) Law { return Law{Name: "threshold", KMin: k} }

// RED returns the law that marks with a probability that rises between two queues.
func RED(kmin, kmax unit.Amount, pmax unit.Ratio) Law {
	return Law{Name: "red", KMin: kmin, KMax: kmax, PMax: pmax}
}

// Depth is the limit of a queue: bandwidth-delay products of its link, or full packets.
type Depth struct {
	BDPs    float64
	Packets int
}

// Deep is the queue of controls that were published on fabrics without loss, with pauses or with
// buffers that never filled: what one port can take of a shared buffer. Of the 32 MB of HPCC's
// switches (SIGCOMM 2019, §5.1) it can take half, 100 BDP at 100 Gb/s and 13 us.
var Deep = Depth{BDPs: 100}
