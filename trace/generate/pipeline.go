package generate

import "weft/catalog"

// schedule is the order in which stages take micro-batches.
type schedule struct {
	// steps lists what a stage does.
	steps func(stages, stage, micro, chunks int64) []step
	// Chunks is how many parts of the model a stage has.
	Chunks int64
	// whole tells that the stages must divide the micro-batches.
	whole bool
}

// step is a micro-batch that passes a chunk of a stage.
type step struct {
	micro, chunk int64
	direction
	// last tells that no micro-batch goes backward through the chunk after this one.
	last bool
}

// none are no options.
type none struct{}

// interleaving are the options of the interleaved schedule.
type interleaving struct {
	Chunks int64 `yaml:"chunks" default:"2" min:"2" max:"100000" doc:"Parts of the model that each stage has."`
}

// schedules are the schedules that a file can name.
func schedules() *catalog.Set[schedule] {
	s := &catalog.Set[schedule]{}
	err := s.Add(
		catalog.Define("1f1b", "One micro-batch forward, one backward, after as many forward as there are stages behind", "Narayanan et al., SC 2021, section 2.2.1",
			func(none) (schedule, error) { return schedule{alternating, 1, false}, nil }),
		catalog.Define("interleaved", "1F1B over several parts of the model per stage", "Narayanan et al., SC 2021, section 2.2.2",
			func(o interleaving) (schedule, error) { return schedule{interleaved, o.Chunks, true}, nil }),
		catalog.Define("gpipe", "All micro-batches forward, then all backward", "Huang et al., NeurIPS 2019, Figure 2",
			func(none) (schedule, error) { return schedule{allForward, 1, false}, nil }),
	)
	if err != nil {
		panic(err) // a test adds them
	}
	return s
}

// allForward is GPipe's schedule.
func allForward(_, _, micro, _ int64) (list []step) {
	for m := range micro {
		list = append(list, step{micro: m})
	}
	for m := range micro {
		list = append(list, step{micro: micro - 1 - m, direction: backward})
	}
	return closed(list)
}

// alternating is 1F1B.
func alternating(stages, stage, micro, _ int64) []step {
	return weave(min(stages-1-stage, micro), micro, func(k int64, d direction) step {
		return step{micro: k, direction: d}
	})
}

// interleaved is 1F1B with several chunks per stage. Each chunk takes as many micro-batches in a row as
// there are stages.
func interleaved(stages, stage, micro, chunks int64) []step {
	all := micro * chunks
	return weave(min(2*(stages-1-stage)+(chunks-1)*stages, all), all, func(k int64, d direction) step {
		chunk := k / stages % chunks
		if d == backward {
			chunk = chunks - 1 - chunk
		}
		return step{micro: k/(stages*chunks)*stages + k%stages, chunk: chunk, direction: d}
	})
}

// weave begins with some steps forward, takes one forward and one backward in turn, and ends with those
// backward that are left.
func weave(first, all int64, at func(k int64, d direction) step) (list []step) {
	for k := range first {
		list = append(list, at(k, forward))
	}
	for k := range all {
		if first+k < all {
			list = append(list, at(first+k, forward))
		}
		list = append(list, at(k, backward))
	}
	return closed(list)
}

// closed marks the last step backward of each chunk.
func closed(list []step) []step {
	seen := map[int64]bool{}
	for i := len(list) - 1; i >= 0; i-- {
		if s := &list[i]; s.direction == backward && !seen[s.chunk] {
			s.last, seen[s.chunk] = true, true
		}
	}
	return list
}
