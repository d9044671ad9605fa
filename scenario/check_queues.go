package scenario

import "weft/problem"

// ports checks the entries of fabric.ports, which override the fabric's queues for some
// links.
func (v *validation) ports() {
	f := &v.s.Fabric
	for i, e := range f.Ports {
		path := entryPath(i)
		if len(e.Links) == 0 {
			v.wrong(path+".links", problem.New("it names no port").Mend("write as in links: \"tor0->spine*\""))
		}
		if e.Queue == nil && e.ECN == nil && e.Headers == nil {
			v.wrong(path, problem.New("it changes nothing").Mend("add queue, ecn or headers, as in {links: \"tor0->spine*\", queue: 2MB}, or remove it"))
		}
		if e.Queue != nil {
			v.queueLimit(path+".queue", *e.Queue)
		}
		if e.Headers == nil {
			continue
		}
		if f.Overflow != trimming {
			v.wrong(path+".headers", problem.New("with fabric.overflow: %s there are no trimmed headers", f.Overflow).Mend("write overflow: %s, or remove this", trimming).Due("fabric.overflow"))
			continue
		}
		v.limit(path+".headers", *e.Headers)
	}
}

// queueLimit checks the limit of the queues of data.
func (v *validation) queueLimit(path string, q QueueLimit) {
	if q.Infinite {
		return
	}
	v.limit(path, q.Amount)
	if q.Share != 0 {
		v.errorf(path, "a share of what? Write bytes or bandwidth-delay products, as in 64KiB or 1BDP")
	}
}

// infiniteQueue refuses thresholds that are shares of a queue without a limit.
func (v *validation) infiniteQueue() {
	f := &v.s.Fabric
	if !f.Queue.Infinite {
		return
	}
	if m, err := f.ECN.Build(); err == nil && m.Marks() && (m.KMin.Share != 0 || m.KMax.Share != 0) {
		v.wrong("fabric.ecn", problem.New("marking begins at a share of the queue's limit, but with queue: %s there is none", infinite).Mend("write bytes or bandwidth-delay products, as in {kind: threshold, k: 1.25BDP}, or off"))
	}
	if f.Overflow == trimming && f.Trim.Queue.Share != 0 {
		v.wrong("fabric.trim.queue", problem.New("a share of the queue's limit, but with queue: %s there is none", infinite).Mend("write bytes or bandwidth-delay products"))
	}
}
