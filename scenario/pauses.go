package scenario

import (
	"fmt"
	"slices"

	"weft/fabric"
	"weft/internal/readable"
	"weft/record"
	"weft/topo"
	"weft/unit"
)

// openPauses notes what was paused when the measured window began.
func (r *run) openPauses() {
	if r.pause.Classes == 0 {
		return
	}
	r.pauses = make([]fabric.Pauses, 2*len(r.graph.Links))
	if r.now == 0 { // nothing was
		return
	}
	r.countPauses()
	for i := range r.pauses {
		r.heldMost = max(r.heldMost, slices.Max(r.pauses[i].Most[:]))
	}
	r.network.ResetHeldMax(r.now)
}

// closePauses counts what was paused within the window.
func (r *run) closePauses() {
	if r.pause.Classes != 0 {
		r.countPauses()
	}
}

// countPauses replaces the readings of all links by what happened since.
func (r *run) countPauses() {
	for i := range r.pauses {
		r.pauses[i] = r.network.Pauses(topo.PortID(i), r.now).Since(r.pauses[i])
	}
}

// pauseResults returns the rows of classes of links with pauses within the measured window, and their sums; nil without
// fabric.pfc.
func (r *run) pauseResults(names []string) (rows []record.Pause, sums *record.Pauses) {
	if r.pause.Classes == 0 {
		return nil, nil
	}
	for i := range r.pauses {
		sent := &r.pauses[topo.PortID(i).Reverse()]
		for k := range 8 {
			p := &r.pauses[i]
			row := record.Pause{
				Port: names[i], Class: int32(k), Pauses: int64(p.Heard[k]), Time: p.Time[k],
				Sent: int64(sent.Sent[k]), Resumes: int64(sent.Resumes[k]), HeldMax: p.Most[k],
			}
			if row.Paused() {
				rows = append(rows, row)
			}
		}
	}
	sums = record.SumPauses(rows, min(r.now, r.to)-min(r.from, r.now))
	for i := range r.pauses {
		for k := range 8 {
			sums.Hold(r.pauses[i].Most[k], names[i])
		}
	}
	return rows, sums
}

// actedPauses tells of pauses that no switch sent.
func (v *review) actedPauses() {
	if v.pause.Classes == 0 {
		return
	}
	most, off := v.heldMost, unit.Bytes(0)
	for id := range topo.PortID(2 * len(v.graph.Links)) {
		_, to := v.graph.Ends(id)
		if v.graph.Nodes[to].Kind != topo.Switch {
			continue
		}
		p := v.network.Pauses(id, v.now)
		for _, n := range p.Sent {
			if n > 0 {
				return
			}
		}
		most = max(most, slices.Max(p.Most[:]))
		off = v.pause.Limits(id).Off
	}
	kind := v.s.Fabric.PFC.Model
	if slices.ContainsFunc(v.pause.Slow, func(s fabric.SlowHost) bool { return v.pausedSwitch(s.Host) }) {
		v.never("fabric.pfc", kind, "no switch paused a link, only slow_hosts did")
		return
	}
	switch {
	case off > 0 && v.pause.Of == fabric.OfIngress:
		v.never("fabric.pfc", kind, "no link was paused; a switch held at most %v of what came over a link in a class, and pauses begin at %v", most, off)
	case off > 0:
		v.never("fabric.pfc", kind, "no link was paused; pauses begin at %v (xoff)", off)
	default:
		v.never("fabric.pfc", kind, "no link was paused; a switch held at most %v of what came over a link in a class, less than its share of the buffer", most)
	}
}

func (v *review) actedWatchdog() {
	if w := &v.pause.Watchdog; w.Detect > 0 && v.ruled.Watchdogs == 0 {
		v.never("fabric.pfc.watchdog", "", "no queue that held frames was paused for %v", w.Detect)
	}
}

// actedSlowHosts tells of hosts that never paused their switches.
func (v *review) actedSlowHosts() {
	if v.pause.Classes == 0 {
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

// pausedSwitch tells whether a host ever paused its switch.
func (v *review) pausedSwitch(host int32) bool {
	sent := v.network.Pauses(v.uplinks[host].Reverse(), v.now).Sent
	return slices.Max(sent[:]) > 0
}
