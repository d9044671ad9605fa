// Package simai reads the layer files of SimAI and of ASTRA-sim 1, which AICB and others write, as traces.
//
// The first line has the parallelism, the second the number of layers. A layer has a line of 12 words: its
// name, a dependency that nothing uses, then the time, the collective and its bytes for the forward pass, for
// the gradient of its input and for that of its weights, and the time after a collective:
//
//	HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 8 ep: 1 pp: 1 ga: 1 all_gpus: 8 checkpoints: 0
//	1
//	embedding_layer -1 556000 ALLREDUCE 536870912 1 NONE 0 1 NONE 0 1
//
// Times are nanoseconds. Bytes are those of the whole buffer, as in package collective. But in files of
// ASTRA-sim 1, which are all except those of HYBRID_TRANSFORMER_FWD_IN_BCKWD, bytes of an all-gather are those of
// a rank's part.
//
// What a file means is taken from SimAI's simulator: Workload.cc and Layer.cc in astra-sim-alibabacloud at commit
// cef83f9, and MockNcclGroup.cc at commit 9e83aba, the last one that has it. Parts are those of Ring.cc in
// ASTRA-sim at tag tutorial-asplos2022.
//
// All ranks do the same: the forward passes of all layers, then backwards the gradients of each. The collectives
// of the forward pass and of input gradients hold a rank up, and those of weight gradients do not. A suffix
// names the group:
//
//	none    tensor parallelism (TP), or for weight gradients data parallelism (DP)
//	_EP     expert parallelism
//	_DP_EP  the ranks of data parallelism that hold the same experts
//
// Ranks are numbered TP first, then EP and the rest of DP, then the stages of the pipeline (PP), so that DP is
// all_gpus / (TP PP), as in SimAI's analytical mode. Its packet simulator takes PP for 1. Neither sends anything
// between stages, and so does the trace; nor are layers repeated for ga and vpp, as AICB writes each of them out.
package simai

import (
	"bytes"
	"fmt"
	"slices"

	"weft/internal/readable"
	"weft/internal/userfile"
	"weft/trace"
	"weft/trace/collective"
	"weft/unit"
)

// largest is how large a file is at most: about 16 million layers.
const largest = unit.GiB

// mostCalls is how many collectives a trace has at most whose spans are kept.
const mostCalls = 1 << 22

// Is tells whether a file begins like a layer file.
func Is(head []byte) bool {
	words := bytes.Fields(bytes.TrimPrefix(head, []byte("\ufeff")))
	if len(words) == 0 {
		return false
	}
	first := string(words[0])
	return slices.Contains(elsewhere(), first) || slices.ContainsFunc(strategies(), func(s strategy) bool { return s.name == first })
}

// Scan reads a file and calls visit for each rank in order. Only the layers and one rank are held at a time.
// The schedules are the visitor's to keep. It returns the collectives that their spans name, unless these are too many, and
// notices.
func Scan(path string, settings collective.Settings, visit func(rank int, s *trace.Schedule) error) (calls []trace.Call, notices []string, err error) {
	file, err := userfile.Open(path, largest)
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
	f, err := read(file, path)
	if err != nil {
		return nil, nil, err
	}
	return f.scan(path, settings, visit)
}

// calls returns room for the collectives of all groups, or a notice if they are too many.
func (f *workload) calls() (calls []trace.Call, notice string) {
	n := f.count()
	if n > mostCalls {
		return nil, fmt.Sprintf("%s are too many to name each in results", readable.Count(n, "collective"))
	}
	return make([]trace.Call, n), ""
}

// scan makes the schedules of all ranks.
func (f *workload) scan(path string, settings collective.Settings, visit func(rank int, s *trace.Schedule) error) (calls []trace.Call, notices []string, err error) {
	if f.pipeline > 1 {
		notices = append(notices, fmt.Sprintf("the %d stages of the pipeline work side by side and send each other nothing, as in SimAI, which adds the time of bubbles and of pp_comm by formulas", f.pipeline))
	}
	if f.parts {
		notices = append(notices, fmt.Sprintf("sizes of all-gathers are those of a rank's part, as ASTRA-sim 1 has them for %s; whole buffers are as many times larger as their groups have ranks", f.strategy.name))
	}
	w := writer{workload: f, settings: settings}
	calls, notice := f.calls()
	if w.calls = calls; notice != "" {
		notices = append(notices, notice)
	}
	for rank := range f.ranks {
		s, err := w.schedule(rank)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: rank %d: %w", path, rank, err)
		}
		if err := visit(rank, s); err != nil {
			return nil, nil, err
		}
	}
	return calls, notices, nil
}
