package scenario

import (
	"fmt"
	"slices"

	"weft/fabric"
	"weft/internal/readable"
	"weft/protocol"
	"weft/record"
	"weft/record/section"
	paused "weft/record/section/pauses"
	"weft/scenario/internal/watch"
	"weft/topo"
	"weft/unit"
)

var pauseFeature = feature{
	name: "fabric.pfc",
	conflicts: []conflict{
		{
			with: "fabric.overflow: trim", at: "fabric.overflow",
			why:  "switches that pause their neighbours have no need to trim",
			ways: []way{{"write overflow: drop", protocol.Trimming}, {"remove fabric.pfc", protocol.Pauses}},
			file: func(f *Fabric) bool { return f.PFC != nil && f.Overflow == trimming },
		},
		{
			with: "fabric.credits in a lossless class", at: "fabric.pfc.classes",
			why: "class 0 has credits, which ports drop on purpose", remedy: "write {pauses of data}",
			fabricWords: (*Fabric).losslessWords,
			file:        func(f *Fabric) bool { return f.PFC != nil && f.Credits != nil && f.PFC.lossless(f.Classes)&1 != 0 },
		},
		{
			with: "routes with a circle of links (layers, Slim Fly, Dragonfly), without lanes", at: "fabric.pfc",
			why: "{which}, so that paused links can come to wait for each other", remedy: "{lanes}, or routing: {lanes: none}, with which weft finds deadlocks",
			planned:   func(p *plan, _ *Fabric) bool { return !p.lanes.none && p.circling() != "" },
			planWords: func(p *plan) []string { return []string{"{which}", p.circling(), "{lanes}", p.hopRemedy()} },
		},
	},
	offers: &need{
		need:    protocol.Pauses,
		noun:    "switches that pause their neighbours instead of dropping",
		has:     func(f *Fabric) bool { return f.PFC != nil },
		drops:   true,
		written: keys("fabric.pfc"),
		without: "without fabric.pfc",
		lack: func(q *inquiry) lack {
			l := lack{why: "fabric.pfc is absent, so full queues drop", key: "fabric.pfc", remedy: "write fabric: {pfc: 500KB}, or fabric: {pfc: hpcc, buffer: 16MB}"}
			if q.fabric.Credits != nil { // the class of credits drops some on purpose
				l.remedy = fmt.Sprintf("write fabric: {pfc: {xoff: 500KB, classes: %s}}", classList(q.fabric.dataClasses(q.used)))
			}
			return l
		},
	},
	check: (*validation).pauses,
	plan:  (*plan).planPauses,
	hint:  (*plan).hintHeadroom,
	build: func(p *plan, c *fabric.Config) { c.Pause = *p.pausing() },
	watch: watchPauses,
	section: func(s *Spec) section.Section {
		if s.Fabric.PFC == nil {
			return nil
		}
		return new(paused.Sums)
	},
	effects: []effect{
		{[]string{"fabric.pfc"}, "pauses sent", (*review).actedPauses},
		{[]string{"fabric.pfc.watchdog"}, "pauses that it ended", (*review).actedWatchdog},
		{[]string{"fabric.pfc.slow_hosts[]"}, "pauses that its hosts sent", (*review).actedSlowHosts},
	},
}

// pauses counts the pauses within the measured window.
type pauses struct {
	watched
	links []fabric.Pauses // counts up to the window, then counts within it
	most  unit.Bytes      // the most bytes that a switch held for a link before the window; see neverActed
}

func watchPauses(w watched, _ *window) watch.Observer {
	if w.queues.lossless == 0 {
		return nil
	}
	return &pauses{watched: w, links: make([]fabric.Pauses, 2*len(w.graph.Links))}
}

// Open saves the counts from before the window.
func (s *pauses) Open(now unit.Time) {
	if now == 0 { // no pause yet
		return
	}
	s.Close(now)
	for i := range s.links {
		s.most = max(s.most, slices.Max(s.links[i].Most[:]))
	}
	s.Network.ResetHeldMax(now)
}

// Close replaces the saved counts of all links by the counts since then.
func (s *pauses) Close(now unit.Time) {
	for i := range s.links {
		s.links[i] = s.Network.Pauses(topo.PortID(i), now).Since(s.links[i])
	}
}

// Section adds one row per link and class with pauses, and their sums.
func (s *pauses) Section(m *watch.Moment, res *record.Result) {
	var rows []record.Pause
	for i := range s.links {
		sent := &s.links[topo.PortID(i).Reverse()]
		for k := range 8 {
			p := &s.links[i]
			row := record.Pause{
				Port: res.Ports[i].Name, Class: int32(k), Pauses: int64(p.Heard[k]), Time: p.Time[k],
				Sent: int64(sent.Sent[k]), Resumes: int64(sent.Resumes[k]), HeldMax: p.Most[k],
			}
			if row.Paused() {
				rows = append(rows, row)
			}
		}
	}
	sums := record.SumPauses(rows, s.Span(m.Now))
	for i := range s.links {
		for k := range 8 {
			sums.Hold(s.links[i].Most[k], res.Ports[i].Name)
		}
	}
	res.Pauses = rows
	res.Summary.Sections.Add(sums)
}

// actedPauses reports pauses that no switch sent.
func (v *review) actedPauses() {
	if v.queues.lossless == 0 {
		return
	}
	most, off := unit.Bytes(0), unit.Bytes(0)
	if seen, ok := find[*pauses](v.observers); ok {
		most = seen.most
	}
	for id := range topo.PortID(2 * len(v.graph.Links)) {
		_, to := v.graph.Ends(id)
		if v.graph.Nodes[to].Kind != topo.Switch {
			continue
		}
		p := v.Network.Pauses(id, v.Now)
		for _, n := range p.Sent {
			if n > 0 {
				return
			}
		}
		most = max(most, slices.Max(p.Most[:]))
		off = v.pausing().Limits(id).Off
	}
	kind := v.s.Fabric.PFC.Model
	if slices.ContainsFunc(v.pausing().Slow, func(s fabric.SlowHost) bool { return v.pausedSwitch(s.Host) }) {
		v.never("fabric.pfc", kind, "no switch paused a link, only slow_hosts did")
		return
	}
	switch {
	case off > 0 && v.pausing().Of == fabric.OfIngress:
		v.never("fabric.pfc", kind, "no link was paused; a switch held at most %v of what came over a link in a class, and pauses begin at %v", most, off)
	case off > 0:
		v.never("fabric.pfc", kind, "no link was paused; pauses begin at %v (xoff)", off)
	default:
		v.never("fabric.pfc", kind, "no link was paused; a switch held at most %v of what came over a link in a class, less than its share of the buffer", most)
	}
}

func (v *review) actedWatchdog() {
	if w := &v.pausing().Watchdog; w.Detect > 0 && v.ruled.Watchdogs == 0 {
		v.never("fabric.pfc.watchdog", "", "no queue that held frames was paused for %v", w.Detect)
	}
}

// actedSlowHosts reports slow hosts that never paused their switch.
func (v *review) actedSlowHosts() {
	if v.queues.lossless == 0 {
		return
	}
	for i, slow := range v.s.Fabric.PFC.Slow {
		hosts, err := v.hosts(slow.Hosts)
		if err != nil {
			continue
		}
		if !slices.ContainsFunc(hosts, v.pausedSwitch) {
			v.never(fmt.Sprintf("fabric.pfc.slow_hosts[%d]", i), "", "%s paused no switch, since less than %v (xoff) waited", readable.Count(len(hosts), "host"), slow.XOff)
		}
	}
}

// pausedSwitch reports whether a host ever paused its switch.
func (v *review) pausedSwitch(host int32) bool {
	sent := v.Network.Pauses(v.uplinks[host].Reverse(), v.Now).Sent
	return slices.Max(sent[:]) > 0
}
