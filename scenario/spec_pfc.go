package scenario

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"weft/catalog"
	"weft/fabric"
	"weft/problem"
	"weft/record"
	"weft/topo"
	"weft/unit"
)

// PFC says in a scenario when switches pause their neighbours: a model of switches ("hpcc"), a threshold
// ("500KB"), or a mapping.
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

// Watchdog is what ends pauses that last too long.
type Watchdog struct {
	Detect  unit.Time `yaml:"detect" default:"200ms" doc:"How long a queue that holds frames must have been paused, and have sent none." source:"SONiC (200 ms)" min:"1us"`
	Restore unit.Time `yaml:"restore" default:"200ms" doc:"How long it must not have been paused before all is as before." source:"SONiC (200 ms)" min:"1us"`
	Action  string    `yaml:"action" default:"drop" doc:"What becomes of its frames until then: they are dropped, or sent in spite of the pause." source:"SONiC" enum:"drop,forward"`
}

// SlowHost is hosts that take frames slowly.
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

// Form describes the short ways of writing a PFC.
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
		return fmt.Errorf("%q is neither hpcc, conweave nor a size; write pfc: hpcc, pfc: 500KB, or a mapping as in {xoff: 500KB, xon: 10KB}", text)
	}
	if xoff < 1 || xoff > 4*unit.GB {
		return fmt.Errorf("a threshold of %v is not from 1B to 4GB", xoff)
	}
	c.XOff = &xoff
	return nil
}

// MarshalText writes c like UnmarshalText reads it. It fails if only a mapping can say c.
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

// lossless returns a bit for every lossless class.
func (c *PFC) lossless(classes int) (mask uint8) {
	if len(c.Classes) == 0 {
		return uint8(1<<max(1, classes) - 1)
	}
	for _, k := range c.Classes {
		mask |= 1 << k
	}
	return mask
}

// scope returns what is compared with thresholds.
func (c *PFC) scope() fabric.PauseScope {
	return map[string]fabric.PauseScope{"egress": fabric.OfEgress, "switch": fabric.OfSwitch}[c.Of]
}

// limits returns those of a directed link, of which the hosts' links have some rate. The largest frame of data sets what is left when a
// link resumes, and needed the headroom of a link.
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

// checkPFC finds what is wrong with the pauses of a fabric that only the file shows.
func (v *validation) checkPFC() {
	f := &v.s.Fabric
	c := f.PFC
	if c == nil {
		return
	}
	classes := max(1, f.Classes)
	if c.Quanta == nil && c.Refresh != defaultRefresh {
		v.wrong("fabric.pfc.refresh", problem.New("refresh is of pauses that expire, but quanta is absent, so that they hold until they are taken back").Mend("write quanta: 65535, or remove refresh"))
	}
	for i, s := range c.Slow {
		if s.XOn >= s.XOff {
			v.errorf(fmt.Sprintf("fabric.pfc.slow_hosts[%d].xon", i), "xon is %v, but must be below xoff, %v", s.XOn, s.XOff)
		}
	}
	for _, k := range c.Classes {
		if k < 0 || k >= mostClasses {
			v.wrong("fabric.pfc.classes", problem.New("there is no class %d; ports have classes 0 to %d here, and %d at most", k, classes-1, mostClasses).Mend("write classes that data or acknowledgements use, or leave classes out for all"))
			return
		}
		if k >= classes {
			v.wrong("fabric.pfc.classes", problem.New("class %d is lossless, but ports have classes 0 to %d", k, classes-1).Mend("write fabric: {classes: %d}", k+1))
			return
		}
	}
	if f.Overflow == trimming {
		v.wrong("fabric.overflow", problem.New("switches that pause their neighbours have no need to trim").Mend("write overflow: drop, or remove fabric.pfc"))
	}
	if f.Credits != nil && c.lossless(classes)&1 != 0 {
		v.wrong("fabric.pfc.classes", problem.New("class 0 has credits, which ports drop on purpose").Mend("write classes: [1]"))
	}
	if c.Model != fixedModel {
		if f.Buffer == nil {
			v.wrong("fabric.pfc", problem.New("the thresholds of %s are shares of a shared buffer, but fabric.buffer is absent", c.Model).Mend("write fabric: {buffer: 32MB}, or pfc: 500KB for fixed thresholds").Due("fabric.buffer"))
		}
		for _, k := range []struct {
			key   string
			given bool
		}{{"xoff", c.XOff != nil}, {"xon", c.XOn != nil}} {
			if k.given {
				v.wrong("fabric.pfc."+k.key, problem.New("%s is of model: fixed, but model is %s, which sets thresholds by alpha", k.key, c.Model).Mend("remove %s, or write model: fixed", k.key))
			}
		}
		if c.Of != "ingress" {
			v.wrong("fabric.pfc.of", problem.New("of: %s is of model: fixed; %s compares what came over each link", c.Of, c.Model).Mend("remove of"))
		}
		return
	}
	if c.Alpha != nil {
		v.wrong("fabric.pfc.alpha", problem.New("alpha is of models hpcc and conweave").Mend("write model: hpcc, or xoff in place of alpha"))
	}
	if xoff := otherwise(c.XOff, defaultXOff); c.XOn != nil && *c.XOn > xoff {
		v.wrong("fabric.pfc.xon", problem.New("xon is %v, which is above xoff, %v: a link would resume before it is paused", *c.XOn, xoff).Mend("write at most %v", xoff))
	}
	used := uint8(0)
	for _, t := range v.s.carriers() {
		data, ack := t.classes(false)
		used |= 1<<data | 1<<ack
	}
	for _, k := range c.Classes {
		if used>>k&1 == 0 {
			v.errorf("fabric.pfc.classes", "no transport sends in class %d, which is lossless; data and acknowledgements are in %s", k, listClasses(used))
		}
	}
}

// allLossless tells whether pauses keep all classes of a transport from losses: as many as it
// uses, from the first on.
func (p *plan) allLossless(first uint8, classes int) bool {
	for k := int(first); k < int(first)+max(1, classes); k++ {
		if p.pausing.config.Classes>>k&1 == 0 {
			return false
		}
	}
	return true
}

// listClasses names classes.
func listClasses(mask uint8) string {
	var list []string
	for k := range 8 {
		if mask>>k&1 != 0 {
			list = append(list, fmt.Sprint(k))
		}
	}
	if len(list) == 1 {
		return "class " + list[0]
	}
	return "classes " + strings.Join(list, ", ")
}

// mostHeld returns for every switch what it may hold of a lossless class until all links into it rest.
func (p *plan) mostHeld() []unit.Bytes {
	held := make([]unit.Bytes, len(p.graph.Nodes))
	for id := range topo.PortID(2 * len(p.graph.Links)) {
		_, to := p.graph.Ends(id)
		if p.graph.Nodes[to].Kind != topo.Switch {
			continue
		}
		l := p.pausing.config.Limits(id)
		if held[to] == 0 || p.pausing.config.Of == fabric.OfIngress {
			held[to] += l.Off
		}
		held[to] += l.Reserve + l.Headroom
	}
	return held
}

// planPauses resolves the pauses of a fabric.
func (p *plan) planPauses(f *Fabric) error {
	c := f.PFC
	if c == nil {
		return nil
	}
	p.pausing.config = fabric.PauseConfig{
		Classes: c.lossless(p.queues.port.Classes), Of: c.scope(), PoolFirst: c.Model == conweaveModel,
		Limits: c.limits(p.graph, p.derived.hosts, p.frames.data, p.neededHeadroom),
	}
	if c.Quanta != nil {
		q := fabric.Quanta{Count: *c.Quanta, Refresh: float64(c.Refresh)}
		if least := leastQuanta(p.frames.onWire, q.Refresh); q.Count < least && q.Refresh > 0 {
			return at("fabric.pfc.quanta", fmt.Errorf("a refresh may come behind a frame of %v, when a pause of %d quanta that is refreshed after %v of them has expired; write quanta: %d or more, or refresh: 0%% for pauses that expire",
				p.frames.onWire, q.Count, c.Refresh, least))
		}
		p.pausing.config.Quanta = q
	}
	if w := c.Watchdog; w != nil {
		p.pausing.config.Watchdog = fabric.Watchdog{Detect: w.Detect, Restore: w.Restore, Forward: w.Action == "forward"}
	}
	slow := map[int32]int{} // the entry of each host
	for i, s := range c.Slow {
		path := fmt.Sprintf("fabric.pfc.slow_hosts[%d].hosts", i)
		hosts, err := p.hosts(s.Hosts)
		if err != nil {
			return at(path, err)
		}
		for _, h := range hosts {
			if first, twice := slow[h]; twice {
				return at(path, problem.New("%s is in slow_hosts[%d], too, and can have one rate only", p.graph.Nodes[p.graph.Hosts[h]].Name, first).Mend("name it in one of them"))
			}
			slow[h] = i
			p.pausing.config.Slow = append(p.pausing.config.Slow, fabric.SlowHost{Host: h, Rate: s.Rate, Off: s.XOff, On: s.XOn})
		}
	}
	if p.queues.buffer.Size == 0 {
		p.pausing.held = p.mostHeld()
		return nil
	}
	lossless := unit.Bytes(0)
	for k := range 8 {
		lossless += unit.Bytes(p.pausing.config.Classes >> k & 1)
	}
	kept := make([]unit.Bytes, len(p.graph.Nodes))
	links := make([]int, len(p.graph.Nodes))
	for id := range topo.PortID(2 * len(p.graph.Links)) {
		if _, to := p.graph.Ends(id); p.graph.Nodes[to].Kind == topo.Switch {
			l := p.pausing.config.Limits(id)
			kept[to] += lossless * (l.Reserve + l.Headroom)
			links[to]++
		}
	}
	at1 := slices.Index(kept, slices.Max(kept))
	name, most := p.graph.Nodes[at1].Name, kept[at1]
	pool := p.queues.buffer.Size - min(p.queues.buffer.Size, most)
	p.derived.pool, p.derived.kept = pool, most
	xoff := unit.Bytes(0)
	if c.Model == fixedModel {
		xoff = otherwise(c.XOff, defaultXOff)
	}
	need := max(xoff, 2*p.frames.data)
	if pool < need {
		why, less := "", "headroom"
		if pool >= 2*p.frames.data { // which would do for a lower threshold
			why, less = fmt.Sprintf(", less than xoff, %v", xoff), "xoff"
		}
		return at("fabric.buffer", fmt.Errorf("a buffer of %v leaves %v to share at %s%s: the headroom and reserves of %d links take %v; write at least buffer: %v, or a smaller fabric.pfc.%s",
			p.queues.buffer.Size, pool, name, why, links[at1], most, most+need, less))
	}
	return nil
}

// leastQuanta returns how long a pause must hold for its refresh to come in time behind a frame of the same link.
func leastQuanta(frame unit.Bytes, refresh float64) int {
	return int(math.Ceil(float64(frame+fabric.PauseFrame) / float64(fabric.PauseFrame) / (1 - refresh)))
}

// pauseRows lists the thresholds of pauses for the manifest.
func (p *plan) pauseRows() (rows []record.Derived) {
	if p.pausing.config.Classes == 0 {
		return nil
	}
	first := topo.PortID(-1)
	for id := range topo.PortID(2 * len(p.graph.Links)) {
		if _, to := p.graph.Ends(id); p.graph.Nodes[to].Kind == topo.Switch {
			first = id
			break
		}
	}
	if first < 0 {
		return nil
	}
	l := p.pausing.config.Limits(first)
	if l.Off > 0 {
		rows = append(rows, record.DerivedBytes("pfc_xoff", l.Off, "threshold at which a link is paused"),
			record.DerivedBytes("pfc_xon", l.Off-min(l.Off, l.Gap), "what is left when it resumes"))
	}
	if q := &p.pausing.config.Quanta; q.Count > 0 {
		rows = append(rows, record.DerivedTime("pfc_quanta", q.Time(p.graph.Links[first.Link()].Rate), "how long a pause of a link from a host holds that is not refreshed"))
	}
	rows = append(rows, record.DerivedBytes("pfc_headroom", l.Headroom, "buffer kept for a link from a host and a class, for what comes after a pause"))
	if p.queues.buffer.Size > 0 {
		rows = append(rows, record.DerivedBytes("pfc_pool", p.derived.pool, "what the switch with most links shares, without headroom and reserves"))
	}
	return rows
}
