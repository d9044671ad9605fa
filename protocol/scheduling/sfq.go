package scheduling

import (
	"weft/protocol"
	"weft/unit"
)

// sfq is start-time fair queueing (Goyal, Vin and Cheng, SIGCOMM 1996, §2). A frame has a start tag: the virtual time at its arrival, or the finish tag of the
// class's frame before it if that is later. The finish tag is the start tag plus size over weight. The frame with the least start tag goes next,
// and virtual time is the start tag of the frame in service.
//
// Only the first waiting frame of a class needs its tag. A frame behind another one starts at that one's finish: virtual time cannot have passed it. So a class has
// one tag, set when its first frame comes and when a frame of it leaves. Equal tags go by class. The tag of a class that the far end
// holds up rises with virtual time, so that it does not save up what it could not send.
//
// The paper sets virtual time to the largest finish tag when the port falls idle. Here it stays at the last start tag, so that a class which begins a busy
// period may be a frame ahead. The bound on unfairness (Theorem 1) compares classes while both have frames, and does not change.
type sfq struct {
	shares
	start  [protocol.MaxClasses]uint64 // of the first waiting frame
	finish [protocol.MaxClasses]uint64 // of the class's frame that was sent last
	now    uint64                      // virtual time
}

// scale is how many units of virtual time a byte takes at weight 1. Sums of tags stay below 2^64 for 2^44 bytes and more.
const scale = maxWeight * 840 // divisible by all small weights

func newSFQ(s shares, _ protocol.SchedulerEnv) protocol.Scheduler { return &sfq{shares: s} }

// Queued gives the first frame of a class its start tag.
func (f *sfq) Queued(class int, _ unit.Bytes, first bool) {
	if first && class >= f.strict {
		f.start[class] = max(f.now, f.finish[class])
	}
}

func (f *sfq) Next(r *protocol.Ready) int {
	if k, ok := f.first(r.Open); ok {
		return k
	}
	best := -1
	for k := f.strict; k < f.classes; k++ {
		if r.Open>>k&1 != 0 && (best < 0 || f.start[k] < f.start[best]) {
			best = k
		}
	}
	f.now = f.start[best]
	for k := f.strict; k < f.classes; k++ {
		if held := r.Waiting &^ r.Open; held>>k&1 != 0 {
			f.start[k] = max(f.start[k], f.now)
		}
	}
	f.finish[best] = f.start[best] + uint64(r.Heads[best])*scale/uint64(f.weight[best])
	f.start[best] = f.finish[best]
	return best
}
