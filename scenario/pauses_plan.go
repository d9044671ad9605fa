package scenario

import (
	"fmt"
	"slices"
	"strings"

	"weft/fabric"
	"weft/problem"
	"weft/record"
	"weft/topo"
	"weft/unit"
)

// pauses checks the options of pauses that the file alone can show to be wrong.
func (v *validation) pauses([]carrier) {
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
	used := v.s.usedClasses()
	for _, k := range c.Classes {
		if used>>k&1 == 0 {
			v.wrong("fabric.pfc.classes", problem.New("no transport sends in class %d, which is lossless: data and acknowledgements are in %s", k, listClasses(used)).Mend("write classes: %s", classList(f.dataClasses(used))))
			return
		}
	}
}

// allLossless reports whether pauses protect all classes of a transport from losses. These
// are the given number of classes, from first on.
func (p *plan) allLossless(first uint8, classes int) bool {
	for k := int(first); k < int(first)+max(1, classes); k++ {
		if p.queues.lossless>>k&1 == 0 {
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

// losslessWords returns the words for conflicts: which classes are lossless, and how a file
// restricts pauses to the classes of data.
func (f *Fabric) losslessWords(used uint8) []string {
	all, are := f.PFC.lossless(f.Classes), "is"
	if all&(all-1) != 0 {
		are = "are"
	}
	return []string{"{lossless}", listClasses(all), "{are}", are, "{pauses of data}", f.PFC.ofClasses(f.dataClasses(used))}
}

// classList writes classes in the form of fabric.pfc.classes.
func classList(mask uint8) string {
	_, list, _ := strings.Cut(listClasses(mask), " ")
	return fmt.Sprintf("[%s]", list)
}

// ofClasses returns what to write for the same pauses in a few classes only.
func (c *PFC) ofClasses(mask uint8) string {
	list := "classes: " + classList(mask)
	text, err := c.MarshalText()
	switch {
	case err != nil: // the file has a mapping, to which the key is added
		return list
	case c.XOff != nil:
		return fmt.Sprintf("pfc: {xoff: %s, %s}", text, list)
	}
	return fmt.Sprintf("pfc: {model: %s, %s}", text, list)
}

// mostHeld returns, per switch, the most bytes of one lossless class that it may hold
// before all links into it have stopped.
func (p *plan) mostHeld() []unit.Bytes {
	held, pauses := make([]unit.Bytes, len(p.graph.Nodes)), p.pausing()
	for id := range topo.PortID(2 * len(p.graph.Links)) {
		_, to := p.graph.Ends(id)
		if p.graph.Nodes[to].Kind != topo.Switch {
			continue
		}
		l := pauses.Limits(id)
		if held[to] == 0 || pauses.Of == fabric.OfIngress {
			held[to] += l.Off
		}
		held[to] += l.Reserve + l.Headroom
	}
	return held
}

// pausing returns how switches pause links. It is zero without pauses.
func (p *plan) pausing() *fabric.PauseConfig { return partOf[fabric.PauseConfig](p) }

// planPauses plans the pauses of a fabric.
func (p *plan) planPauses(f *Fabric) error {
	c := f.PFC
	if c == nil {
		return nil
	}
	p.queues.lossless = c.lossless(p.queues.port.Classes)
	pauses := p.pausing()
	*pauses = fabric.PauseConfig{
		Classes: p.queues.lossless, Of: c.scope(), PoolFirst: c.Model == conweaveModel,
		Limits: c.limits(p.graph, p.derived.hosts, p.frames.data, p.neededHeadroom),
	}
	if c.Quanta != nil {
		q := fabric.Quanta{Count: *c.Quanta, Refresh: float64(c.Refresh)}
		if least := leastQuanta(p.frames.onWire, q.Refresh); q.Count < least && q.Refresh > 0 {
			return at("fabric.pfc.quanta", problem.New("a refresh may come behind a frame of %v, when a pause of %d quanta that is refreshed after %v of them has expired", p.frames.onWire, q.Count, c.Refresh).Mend("write quanta: %d or more, or refresh: 0%% for pauses that expire", least))
		}
		pauses.Quanta = q
	}
	if w := c.Watchdog; w != nil {
		pauses.Watchdog = fabric.Watchdog{Detect: w.Detect, Restore: w.Restore, Forward: w.Action == "forward"}
	}
	slow := map[int32]int{} // the entry of each host in slow_hosts
	p.ends.slow = map[int32]unit.Rate{}
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
			slow[h], p.ends.slow[h] = i, s.Rate
			pauses.Slow = append(pauses.Slow, fabric.SlowHost{Host: h, Rate: s.Rate, Off: s.XOff, On: s.XOn})
		}
	}
	if p.queues.buffer.Size == 0 {
		p.queues.held = p.mostHeld()
		return nil
	}
	lossless := unit.Bytes(0)
	for k := range 8 {
		lossless += unit.Bytes(p.queues.lossless >> k & 1)
	}
	kept := make([]unit.Bytes, len(p.graph.Nodes))
	links := make([]int, len(p.graph.Nodes))
	for id := range topo.PortID(2 * len(p.graph.Links)) {
		if _, to := p.graph.Ends(id); p.graph.Nodes[to].Kind == topo.Switch {
			l := pauses.Limits(id)
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
		if pool >= 2*p.frames.data { // a lower threshold would do
			why, less = fmt.Sprintf(", less than xoff, %v", xoff), "xoff"
		}
		return at("fabric.buffer", problem.New("a buffer of %v leaves %v to share at %s%s: the headroom and reserves of %d links take %v", p.queues.buffer.Size, pool, name, why, links[at1], most).Mend("write at least buffer: %v, or a smaller fabric.pfc.%s", most+need, less))
	}
	return nil
}

// pauseRows lists the thresholds of pauses for the manifest.
func (p *plan) pauseRows() (rows []record.Derived) {
	if p.queues.lossless == 0 {
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
	l := p.pausing().Limits(first)
	if l.Off > 0 {
		rows = append(rows, record.DerivedBytes("pfc_xoff", l.Off, "threshold at which a link is paused"),
			record.DerivedBytes("pfc_xon", l.Off-min(l.Off, l.Gap), "what is left when it resumes"))
	}
	if q := &p.pausing().Quanta; q.Count > 0 {
		rows = append(rows, record.DerivedTime("pfc_quanta", q.Time(p.graph.Links[first.Link()].Rate), "how long a pause of a link from a host holds that is not refreshed"))
	}
	rows = append(rows, record.DerivedBytes("pfc_headroom", l.Headroom, "buffer kept for a link from a host and a class, for what comes after a pause"))
	if p.queues.buffer.Size > 0 {
		rows = append(rows, record.DerivedBytes("pfc_pool", p.derived.pool, "what the switch with most links shares, without headroom and reserves"))
	}
	return rows
}
