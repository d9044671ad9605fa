package scenario

import (
	"fmt"
	"iter"

	"weft/unit"
)

// carriers yields the transports of all groups, replies and background traffic with their
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

// marksAnywhere reports whether any port marks. It assumes so while the file cannot be
// read.
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

// trimRatio returns the ratio by which ports serve class 0 and data. The scenario sets it;
// otherwise the first control that needs a ratio does, and its name is returned too.
func (s *Spec) trimRatio() (ratio int, of string) {
	if r := s.Fabric.Trim.Ratio; r != nil {
		return int(*r), ""
	}
	for _, t := range s.carriers() {
		if c, err := t.Congestion.Build(); err == nil && c.Needs.TrimRatio > 0 {
			return c.Needs.TrimRatio, t.Congestion.Kind
		}
	}
	return 0, ""
}
