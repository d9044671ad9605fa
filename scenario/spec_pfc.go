package scenario

import (
	"errors"
	"fmt"
	"math"
	"reflect"

	"weft/catalog"
	"weft/fabric"
	"weft/problem"
	"weft/topo"
	"weft/unit"
)

// PFC configures when switches pause their neighbours: a model of switches ("hpcc"), a
// threshold ("500KB"), or a mapping.
type PFC struct {
	Model    string      `yaml:"model" default:"fixed" doc:"What sets the threshold of a link and class. fixed: xoff. hpcc, conweave: alpha times the free shared buffer. hpcc scales alpha with the rate of the link. hpcc, and fixed with of: ingress, take headroom above the threshold, all others only when the shared buffer is full." source:"HPCC's and ConWeave's simulators (SIGCOMM 2019, 2023)" enum:"fixed,hpcc,conweave"`
	Classes  []int       `yaml:"classes" default:"[]" doc:"Lossless classes (default: all). They have no limit of their own; fabric.queue applies to the others, and to thresholds of marking."`
	Of       string      `yaml:"of" default:"ingress" doc:"What is compared with xoff: what the switch holds of the link and class, the queue that a frame joins, or all that the switch holds. With switch, two neighbours can wait for each other." enum:"ingress,egress,switch"`
	XOff     *unit.Bytes `yaml:"xoff" doc:"Threshold at which the link is paused, with model: fixed (default: 500KB)." source:"FNCC §5.1 (500 KB)" min:"1B" max:"4GB"`
	XOn      *unit.Bytes `yaml:"xon" doc:"What is left when it resumes, with model: fixed (default: xoff less two full frames)." max:"4GB"`
	Alpha    *float64    `yaml:"alpha" doc:"Threshold as a multiple of the free shared buffer (default: 1/8 with hpcc, at the rate of the hosts; 1/16 with conweave)." source:"HPCC's and ConWeave's simulators" min:"0.0001" max:"1024"`
	Reserve  *unit.Bytes `yaml:"reserve" doc:"Buffer kept for each link and class, which does not count against the threshold (default: 4KiB with hpcc and conweave, else 0B)." source:"HPCC's simulator" max:"4GB"`
	Quanta   *int        `yaml:"quanta" doc:"How long a pause holds, in times of 512 bits on its link (default: until it is taken back)." source:"IEEE 802.1Qbb (16 bits)" min:"1" max:"65535"`
	Refresh  unit.Ratio  `yaml:"refresh" default:"50%" doc:"After which share of its quanta a pause is sent again that is still needed; 0%: never, so that it expires." source:"weft" min:"0%" max:"99%"`
	Watchdog *Watchdog   `yaml:"watchdog" doc:"Ends pauses of switch ports that last too long (default: off)." source:"SONiC"`
	Slow     []SlowHost  `yaml:"slow_hosts" default:"[]" doc:"Hosts that take frames off their NICs at less than the rate of their links, and pause their switches."`
	Headroom *unit.Bytes `yaml:"headroom" doc:"Buffer kept for each link and class, for what still comes after a pause was sent (default: all that can: twice the propagation and the switch's latency at the link's rate, three of the largest frames that any transport sends, with the replies, stamps and lists that are added on the way, and the pause; with hpcc at least three times the propagation)." source:"IEEE 802.1Qbb; HPCC's simulator (3 times)" max:"4GB"`
}

// Watchdog configures how pauses end that last too long.
type Watchdog struct {
	Detect  unit.Time `yaml:"detect" default:"200ms" doc:"How long a queue that holds frames must have been paused, and have sent none." source:"SONiC (200 ms)" min:"1us"`
	Restore unit.Time `yaml:"restore" default:"200ms" doc:"How long it must not have been paused before all is as before." source:"SONiC (200 ms)" min:"1us"`
	Action  string    `yaml:"action" default:"drop" doc:"What becomes of its frames until then: they are dropped, or sent in spite of the pause." source:"SONiC" enum:"drop,forward"`
}

// SlowHost configures hosts that receive frames slowly.
type SlowHost struct {
	Hosts []string   `yaml:"hosts" doc:"Hosts, as names, patterns (host1*) and ranges (host0..host7)."`
	Rate  unit.Rate  `yaml:"rate" doc:"Rate at which they take frames of lossless classes, in bytes on the wire." min:"1bps"`
	XOff  unit.Bytes `yaml:"xoff" default:"100KB" doc:"What waits at the NIC when the host pauses its switch." min:"1B" max:"1GB"`
	XOn   unit.Bytes `yaml:"xon" default:"50KB" doc:"What is left when it resumes." max:"1GB"`
}

const (
	fixedModel, hpccModel, conweaveModel = "fixed", "hpcc", "conweave"
	defaultXOff                          = 500 * unit.KB
	defaultRefresh                       = 0.5
)

// Form describes the short forms of a PFC.
func (PFC) Form() catalog.Form {
	size := catalog.FormOf(reflect.TypeFor[unit.Bytes]())
	return catalog.Form{Name: "model or size", Example: hpccModel, Pattern: size.Pattern, Words: []string{fixedModel, hpccModel, conweaveModel}}
}

// UnmarshalText reads a model or a threshold.
func (c *PFC) UnmarshalText(text []byte) error {
	*c = PFC{Model: fixedModel, Of: "ingress", Refresh: defaultRefresh}
	switch word := string(text); word {
	case fixedModel, hpccModel, conweaveModel:
		c.Model = word
		return nil
	}
	xoff, err := unit.ParseBytes(string(text))
	if err != nil {
		return problem.New("%q is neither hpcc, conweave nor a size", text).Mend("write pfc: hpcc, pfc: 500KB, or a mapping as in {xoff: 500KB, xon: 10KB}")
	}
	if xoff < 1 || xoff > 4*unit.GB {
		return fmt.Errorf("a threshold of %v is not from 1B to 4GB", xoff)
	}
	c.XOff = &xoff
	return nil
}

// MarshalText writes c in the form that UnmarshalText reads. It fails if c needs a mapping.
func (c PFC) MarshalText() ([]byte, error) {
	plain := len(c.Classes) == 0 && c.Quanta == nil && c.Refresh == defaultRefresh && c.Watchdog == nil && len(c.Slow) == 0 && c.Of == "ingress" && c.XOn == nil && c.Alpha == nil && c.Reserve == nil && c.Headroom == nil
	switch {
	case plain && c.XOff == nil:
		return []byte(c.Model), nil
	case plain && c.Model == fixedModel:
		return c.XOff.MarshalText()
	}
	return nil, errors.New("pauses with more than a model or a threshold cannot be written as one word")
}

// lossless returns a bit for each lossless class.
func (c *PFC) lossless(classes int) (mask uint8) {
	if len(c.Classes) == 0 {
		return uint8(1<<max(1, classes) - 1)
	}
	for _, k := range c.Classes {
		if k >= 0 { // validation refuses others
			mask |= 1 << k
		}
	}
	return mask
}

// scope returns which bytes are compared with thresholds.
func (c *PFC) scope() fabric.PauseScope {
	return map[string]fabric.PauseScope{"egress": fabric.OfEgress, "switch": fabric.OfSwitch}[c.Of]
}

// limits returns a function for the pause limits of a directed link. hosts is the rate of
// the hosts' links, frame the largest data frame, from which the default of xon follows,
// and needed the headroom that a link needs.
func (c *PFC) limits(g *topo.Graph, hosts unit.Rate, frame unit.Bytes, needed func(topo.PortID) unit.Bytes) func(topo.PortID) fabric.PauseLimits {
	return func(id topo.PortID) (l fabric.PauseLimits) {
		link := g.Links[id.Link()]
		headroom := needed(id)
		switch c.Model {
		case hpccModel:
			l.Alpha = otherwise(c.Alpha, 0.125) * float64(link.Rate) / float64(hosts)
			l.Gap, l.Reserve = 3*unit.KiB, 4*unit.KiB
			headroom = max(headroom, link.Rate.In(3*link.Delay))
		case conweaveModel:
			l.Alpha, l.Gap, l.Reserve = otherwise(c.Alpha, 0.0625), 16, 4*unit.KiB
		default:
			l.Off = otherwise(c.XOff, defaultXOff)
			l.Gap = l.Off - min(l.Off, otherwise(c.XOn, l.Off-min(l.Off, 2*frame)))
		}
		l.Reserve, l.Headroom = otherwise(c.Reserve, l.Reserve), otherwise(c.Headroom, headroom)
		return l
	}
}

// leastQuanta returns the shortest duration of a pause whose refresh still arrives in time
// when a frame delays it. The unit is the time of one pause frame on the link.
func leastQuanta(frame unit.Bytes, refresh float64) int {
	return int(math.Ceil(float64(frame+fabric.PauseFrame) / float64(fabric.PauseFrame) / (1 - refresh)))
}
