package scenario

import (
	"weft/fabric"
	"weft/record"
	"weft/topo"
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
