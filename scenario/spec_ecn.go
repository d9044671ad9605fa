package scenario

import (
	"weft/catalog"
	"weft/problem"
	"weft/protocol"
	"weft/unit"
)

// MarkingPoint holds the options that all marking rules share: when, where and for which
// queue they decide.
type MarkingPoint struct {
	At    string `yaml:"at" default:"enqueue" doc:"When the mark is decided: when the frame arrives, or when its transmission begins." enum:"enqueue,dequeue"`
	Ports string `yaml:"ports" default:"all" doc:"Ports that mark: all, or only those between switches (core), for transports whose receivers manage their own downlinks." source:"SIRD-Simulator" enum:"all,core"`
	Queue string `yaml:"queue" default:"class" doc:"Queue that is compared: that of the frame's class, or those of all classes of the port." source:"Bai et al., MQ-ECN, NSDI 2016: marking per queue and per port" enum:"class,port"`
}

// marking returns a marking rule with these options set.
func (o MarkingPoint) marking() protocol.Marking {
	return protocol.Marking{
		On:        true,
		AtDequeue: o.At == atDequeue,
		Core:      o.Ports == corePorts,
		ByPort:    o.Queue == wholePort,
	}
}

type threshold struct {
	K unit.Amount `yaml:"k" default:"20%" doc:"Queue above which every frame is marked. A share is of the port's limit, and BDP are of its link, as in fabric.queue." source:"DCTCP, SIGCOMM 2010, §3.1"`
	MarkingPoint
	Spare bool `yaml:"spare_first" default:"false" doc:"Whether the first frame above k after one below it goes unmarked; with at: enqueue only." source:"RED of ns-2, as in SIRD-Simulator"`
}

type red struct {
	KMin unit.Amount `yaml:"kmin" default:"20%" doc:"Queue up to which no frame is marked. A share is of the port's limit, and BDP are of its link, as in fabric.queue." source:"ARCANE §4.1"`
	KMax unit.Amount `yaml:"kmax" default:"80%" doc:"Queue from which every frame is marked." source:"ARCANE §4.1"`
	PMax unit.Ratio  `yaml:"pmax" default:"100%" doc:"Probability of marking just below kmax." source:"not in ARCANE, whose §2.1 has it rise linearly from kmin to kmax" max:"100%"`
	MarkingPoint
}

const (
	noMarks      = "off"
	thresholdLaw = "threshold"
	redLaw       = "red"
	atDequeue    = "dequeue"
	corePorts    = "core"
	wholePort    = "port"
)

// Markings returns weft's own marking rules.
func Markings() []catalog.Entry[protocol.Marking] {
	return []catalog.Entry[protocol.Marking]{
		catalog.Define(noMarks, "no frame is marked", "", func(struct{}) (protocol.Marking, error) {
			return protocol.Marking{}, nil
		}),
		catalog.Define(thresholdLaw, "every frame that finds more than k in the queue is marked",
			"DCTCP, SIGCOMM 2010, §3.1", func(o threshold) (protocol.Marking, error) {
				if o.Spare && o.At == atDequeue {
					return protocol.Marking{}, problem.At("spare_first", "spare_first is about frames that arrive; write at: enqueue, or leave it out")
				}
				m := o.marking()
				m.KMin, m.KMax, m.PMax, m.SpareFirst = o.K, o.K, 1, o.Spare
				return m, nil
			}),
		catalog.Define(redLaw, "frames are marked with a probability that rises with the queue",
			"Floyd and Jacobson, ToN 1993, §4, on the instantaneous queue; ARCANE §4.1", func(o red) (protocol.Marking, error) {
				if above(o.KMin, o.KMax) {
					return protocol.Marking{}, problem.At("kmin", "kmin is %v, which is above kmax, %v", o.KMin, o.KMax)
				}
				m := o.marking()
				m.KMin, m.KMax, m.PMax = o.KMin, o.KMax, o.PMax
				return m, nil
			}),
	}
}

// Admissions returns weft's own rules of admission.
func Admissions() []catalog.Entry[protocol.Admission] {
	return []catalog.Entry[protocol.Admission]{
		catalog.Define("off", "only the limit of the queue and the shared buffer decide", "", func(struct{}) (protocol.Admission, error) {
			return protocol.Admission{}, nil
		}),
	}
}

// above reports whether a is larger than b, whatever BDPs and shares amount to.
func above(a, b unit.Amount) bool {
	return a.Bytes >= b.Bytes && a.BDPs >= b.BDPs && a.Share >= b.Share && a != b
}
