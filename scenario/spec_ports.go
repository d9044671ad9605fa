package scenario

import (
	"fmt"
	"iter"

	"weft/catalog"
	"weft/problem"
	"weft/protocol"
	"weft/unit"
)

// PortQueue is what the queues of some ports have instead of what the fabric says.
type PortQueue struct {
	Links   []string                          `yaml:"links" doc:"Ports, by patterns such as tor0->spine*: those that send in the direction of the arrow. NICs have no queues of their own and are skipped."`
	Queue   *QueueLimit                       `yaml:"queue" doc:"Limit of each priority class, as in fabric.queue (default: fabric.queue)."`
	ECN     *catalog.Choice[protocol.Marking] `yaml:"ecn" doc:"When frames are marked, as in fabric.ecn (default: fabric.ecn). Shares are of the port's limit."`
	Headers *unit.Amount                      `yaml:"headers" doc:"Limit of class 0, which holds trimmed headers, as in fabric.trim.queue (default: fabric.trim.queue). With overflow: trim only."`
}

// entryPath is where the scenario has an entry of fabric.ports.
func entryPath(i int) string { return fmt.Sprintf("fabric.ports[%d]", i) }

// ports checks what links have instead of what the fabric says.
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

// marksAnywhere tells whether any port marks, as far as the scenario can be read.
func (f *Fabric) marksAnywhere() bool {
	if m, err := f.ECN.Build(); err != nil || m.Marks() {
		return true
	}
	for _, e := range f.Ports {
		if e.ECN == nil {
			continue
		}
		if m, err := e.ECN.Build(); err != nil || m.Marks() {
			return true
		}
	}
	return false
}

// carriers yields the transports of all groups of traffic, replies and backgrounds, with their
// paths, in the order in which groups are planned.
func (s *Spec) carriers() iter.Seq2[string, *Transport] {
	return func(yield func(string, *Transport) bool) {
		for i := range s.Traffic {
			t := &s.Traffic[i]
			path := fmt.Sprintf("traffic[%d]", i)
			if !yield(path+".transport", &t.Transport) ||
				t.Reply != nil && !yield(path+".reply.transport", &t.Reply.Transport) ||
				t.Background != nil && !yield(path+".background.transport", &t.Background.Transport) {
				return
			}
		}
	}
}

// largestFrame returns the size of the largest data frame of any transport.
func (s *Spec) largestFrame() unit.Bytes {
	header, _ := s.Transport.wire()
	largest := s.Transport.Payload + header
	for _, t := range s.carriers() {
		header, _ := t.wire()
		largest = max(largest, t.Payload+header)
	}
	return largest
}
