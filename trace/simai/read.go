package simai

import (
	"io"
	"strings"

	"weft/internal/nearest"
	"weft/internal/readable"
	"weft/problem"
	"weft/trace"
)

// Limits of what a file may say.
const (
	mostLayers = 1 << 24
	mostRanks  = 1 << 20
)

// workload is the content of a layer file.
type workload struct {
	strategy *strategy
	// tensor, expert and pipeline are sizes of groups, and ranks the number of GPUs.
	tensor, expert, pipeline, ranks int
	// pipelineBytes is what a stage of the pipeline hands on.
	pipelineBytes int64
	// checkpoints are the layers whose activations are kept, and initiates those before whose
	// backward pass the layers from the last checkpoint on are computed again.
	checkpoints, initiates map[int]bool
	layers                 []layer
	// parts tells that the file has the sizes of parts for all-gathers.
	parts bool
}

// phase is one of the three parts of a layer's work.
type phase struct {
	compute int64 // ns
	exchange
	bytes int64
}

// layer is a line of the file.
type layer struct {
	name                           string
	forward, inputGrad, weightGrad phase
	// update is the time that follows each collective.
	update int64
	line   int
}

// read reads a layer file.
func read(r io.Reader, name string) (*workload, error) {
	w := newWords(r, name)
	f := &workload{tensor: 1, expert: 1, pipeline: 1, checkpoints: map[int]bool{}, initiates: map[int]bool{}}
	more, err := w.nextLine()
	if err != nil {
		return nil, err
	}
	if !more {
		return nil, problem.New("%s: the file is empty", name).Mend("begin it with the parallelism, as in HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 8 ep: 1 pp: 1 all_gpus: 64")
	}
	if err := f.header(w); err != nil {
		return nil, err
	}
	count, err := w.number("the number of layers", 1, mostLayers)
	if err != nil {
		return nil, err
	}
	for range count {
		l, err := f.layer(w)
		if err != nil {
			return nil, err
		}
		f.layers = append(f.layers, l)
	}
	word, err := w.word()
	if err != nil {
		return nil, err
	}
	if word != "" {
		return nil, w.wrong(problem.New("%q follows the last of %d layers", readable.Clip(word), count).Mend("correct the number of layers in the second line"))
	}
	return f, f.check(w)
}

// header reads the first line: the parallelism, and then keys with their values.
func (f *workload) header(w *words) error {
	word := w.wordOfLine()
	begin := w.at
	var err error
	if f.strategy, err = findStrategy(word); err != nil {
		return w.wrong(err)
	}
	if f.strategy.model {
		f.tensor = 0 // all
	}
	given := map[string]bool{}
	for {
		key := w.wordOfLine()
		at := w.at
		if key == "" {
			break
		}
		key = strings.TrimSuffix(key, ":")
		if given[key] {
			return w.errorAt(at, problem.New("%s is given twice", readable.Clip(key)).Mend("leave one"))
		}
		given[key] = true
		if err := f.key(w, key, at); err != nil {
			return err
		}
	}
	if f.ranks == 0 {
		return w.errorAt(begin, problem.New("the first line has no all_gpus, so that the number of ranks is unknown").Mend("add it, as in all_gpus: 64"))
	}
	if f.tensor == 0 {
		f.tensor = f.ranks
	}
	return nil
}

// headerKeys are the keys of the first line.
func headerKeys() []string {
	return []string{"model_parallel_NPU_group", "ep", "pp", "vpp", "ga", "all_gpus", "checkpoints", "checkpoint_initiates", "pp_comm"}
}

// key reads the value of a key of the first line.
func (f *workload) key(w *words, key string, at place) error {
	value := func(least, most int64) (int64, error) {
		word := w.wordOfLine()
		if word == "" {
			return 0, w.errorAt(at, problem.New("%s has no value", key).Mend("write a number behind it"))
		}
		return w.asNumber(word, key, least, most)
	}
	whole := func(into *int) error {
		n, err := value(1, mostRanks)
		*into = int(n)
		return err
	}
	switch key {
	case "model_parallel_NPU_group":
		return whole(&f.tensor)
	case "ep":
		return whole(&f.expert)
	case "pp":
		return whole(&f.pipeline)
	case "all_gpus":
		return whole(&f.ranks)
	case "vpp", "ga":
		_, err := value(1, mostRanks)
		return err
	case "pp_comm":
		var err error
		f.pipelineBytes, err = value(0, trace.MaxSize)
		return err
	case "checkpoints", "checkpoint_initiates":
		into := f.checkpoints
		if key == "checkpoint_initiates" {
			into = f.initiates
		}
		n, err := value(0, mostLayers)
		for ; n > 0 && err == nil; n-- {
			var i int64
			i, err = value(0, mostLayers)
			into[int(i)] = true
		}
		return err
	}
	return w.errorAt(at, problem.New("the first line has no key %q", readable.Clip(key)).Mend("%s", nearest.Remedy(key, "there are", headerKeys())))
}

// layer reads a layer.
func (f *workload) layer(w *words) (layer, error) {
	var l layer
	var err error
	if l.name, err = w.word(); err != nil {
		return l, err
	}
	if l.name == "" {
		return l, w.wrong(problem.New("the file ends after %d layers", len(f.layers)).Mend("complete it, or correct the number of layers in its second line"))
	}
	l.line = w.at.line
	if _, err = w.number("the dependency", -1, mostLayers); err != nil {
		return l, err
	}
	for _, p := range []struct {
		into *phase
		what string
		of   phaseKind
	}{{&l.forward, "forward pass", forward}, {&l.inputGrad, "input gradient", inputGrad}, {&l.weightGrad, "weight gradient", weightGrad}} {
		if p.into.compute, err = w.number("the time of the "+p.what, 0, trace.MaxSize); err != nil {
			return l, err
		}
		word, err := w.word()
		if err != nil {
			return l, err
		}
		if p.into.exchange, err = parseExchange(word, p.of); err != nil {
			return l, w.wrong(err)
		}
		if p.into.bytes, err = w.number("the bytes of the "+p.what, 0, trace.MaxSize); err != nil {
			return l, err
		}
		if err := f.whole(p.into); err != nil {
			return l, w.wrong(err)
		}
	}
	if f.strategy.newer && l.forward.bytes > 0 {
		l.forward.bytes = max(l.forward.bytes, leastForward)
	}
	l.update, err = w.number("the time after a collective", 0, trace.MaxSize)
	return l, err
}

// leastForward is how many bytes SimAI makes of fewer in a forward pass. They stay so many for the passes that
// are computed again.
const leastForward = 4096

// whole turns the size of an all-gather into that of its whole buffer. ASTRA-sim 1 has the size of the part
// that a rank brings.
func (f *workload) whole(p *phase) error {
	if f.strategy.newer || p.kind != allGather {
		return nil
	}
	ranks := int64(max(1, f.size(p.group)))
	if p.bytes > trace.MaxSize/ranks {
		return problem.New("%d bytes are too many for each of %d ranks", p.bytes, ranks).Mend("write at most %d", trace.MaxSize/ranks)
	}
	p.bytes *= ranks
	f.parts = f.parts || f.sends(p)
	return nil
}

// check finds sizes of groups that do not fit.
func (f *workload) check(w *words) error {
	top := place{1, 1}
	model := f.tensor * f.pipeline
	if model > mostRanks || f.ranks%model != 0 {
		return w.errorAt(top, problem.New("all_gpus is %d, which is no multiple of model_parallel_NPU_group %d times pp %d", f.ranks, f.tensor, f.pipeline).Mend("correct one of them"))
	}
	if data := f.ranks / model; data%f.expert != 0 {
		return w.errorAt(top, problem.New("ep is %d, which does not divide the %d groups of data parallelism: all_gpus %d / (model_parallel_NPU_group %d · pp %d)", f.expert, data, f.ranks, f.tensor, f.pipeline).Mend("correct one of them"))
	}
	for key, list := range map[string]map[int]bool{"checkpoints": f.checkpoints, "checkpoint_initiates": f.initiates} {
		for i := range list {
			if i >= len(f.layers) {
				return w.errorAt(top, problem.New("%s names layer %d, but the last of the %d layers is %d", key, i, len(f.layers), len(f.layers)-1).Mend("layers count from 0"))
			}
		}
	}
	for i := range f.initiates {
		if f.checkpoint(i) < 0 {
			return w.errorAt(top, problem.New("checkpoint_initiates names layer %d, but no checkpoint comes before it", i).Mend("add one to checkpoints"))
		}
	}
	return nil
}

// checkpoint returns the last checkpoint before a layer, or -1.
func (f *workload) checkpoint(before int) int {
	for i := before - 1; i >= 0; i-- {
		if f.checkpoints[i] {
			return i
		}
	}
	return -1
}
