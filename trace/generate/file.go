package generate

import (
	"bytes"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"

	"weft/catalog"
	"weft/config"
	"weft/internal/userfile"
	"weft/problem"
)

// Is tells whether a file says what to generate, by its name or its first bytes.
func Is(path string, head []byte) bool {
	if e := filepath.Ext(path); e == ".yaml" || e == ".yml" {
		return true
	}
	for line := range bytes.Lines(head) {
		if bytes.HasPrefix(line, []byte("model:")) || bytes.HasPrefix(line, []byte("kernel:")) {
			return true
		}
	}
	return false
}

// Open reads a file. Assignments such as parallel.data=4 replace what the file says.
func Open(path string, assignments ...string) (*Spec, error) {
	text, err := userfile.Read(path, config.MaxText)
	if err != nil {
		return nil, err
	}
	return Parse(path, text, assignments...)
}

// Parse reads the text of a file, which messages call by name. What is wrong is a *config.Error.
func Parse(name string, text []byte, assignments ...string) (*Spec, error) {
	n, err := config.Parse(name, text)
	if err != nil {
		return nil, err
	}
	d := config.Decoder{Rosters: []catalog.Roster{models(), accelerators(), schedules(), kernels()}}
	for _, a := range assignments {
		path, value, err := config.ParseArgument("--set", a)
		if err != nil {
			return nil, err
		}
		over, err := config.Nest(path, value.Place, value)
		if err != nil {
			return nil, err
		}
		if n, err = d.Merge(n, over, reflect.TypeFor[Spec]()); err != nil {
			return nil, err
		}
	}
	s := &Spec{}
	places, err := d.Decode(n, s)
	if err != nil {
		return nil, err
	}
	var wrong config.Error
	for _, err := range s.prepare(places.Given) {
		wrong.Report(places.At(problem.Of(err).Path), err)
	}
	return s, wrong.Err()
}

// prepare finds what is wrong with a specification as a whole. If nothing is, it plans the source of the
// schedules.
func (s *Spec) prepare(given func(path string) bool) []error {
	switch {
	case s.Model == nil && s.Kernel == nil:
		return []error{problem.New("there is neither a model nor a kernel").Mend("write one of them, as in model: llama-7b or kernel: {kind: stencil-2d, grid: [4, 4], local: [1024, 1024]}")}
	case s.Model != nil && s.Kernel != nil:
		return []error{problem.At("kernel", "there is a model and a kernel").Mend("leave one")}
	case s.Kernel != nil:
		return s.prepareKernel(given)
	}
	m, err := s.Model.Build()
	if err != nil {
		return []error{problem.In("model", err)}
	}
	c := checks{Spec: s, model: &m}
	if s.Durations != nil && given("accelerator") {
		c.wrong("accelerator", "durations give the times of computations, so that the accelerator has no effect", "leave one of them")
	}
	if s.Durations != nil && s.Recompute == "selective" {
		c.wrong("recompute", "durations do not say how long the core of attention takes, so that selective has no effect", "add the core's time to durations.backward and leave recompute out, or choose full")
	}
	c.all()
	if len(c.list) > 0 {
		return c.list
	}
	g, err := s.Parallel.grid()
	if err != nil {
		return []error{err}
	}
	t, err := newTraining(s, m, g)
	if err != nil {
		return []error{err}
	}
	if !t.countable() {
		return []error{problem.At("model", "computations or messages of this model are too large to count").Mend("choose smaller numbers, or more ranks")}
	}
	return s.take(t)
}

// take takes a source whose ranks do not have too many operations.
func (s *Spec) take(from source) []error {
	if err := from.count(s.counter()); err != nil {
		return []error{err}
	}
	s.source = from
	return nil
}

// prepareKernel is prepare for a kernel, to which most keys do not apply.
func (s *Spec) prepareKernel(given func(path string) bool) (list []error) {
	for _, key := range []string{"parallel", "batch", "schedule", "zero", "recompute", "precision", "gradients", "accelerator", "durations"} {
		if given(key) {
			list = append(list, problem.At(key, "%s is for models, and has no effect on a kernel", key).Mend("leave it out"))
		}
	}
	k, err := s.Kernel.Build()
	if err != nil {
		return append(list, problem.In("kernel", err))
	}
	if len(list) > 0 {
		return list
	}
	return s.take(repeated{k, s.Iterations})
}

// checks collects what is wrong with the cut of a model.
type checks struct {
	*Spec
	model *transformer
	list  []error
}

func (c *checks) wrong(path, what, remedy string) {
	c.list = append(c.list, problem.At(path, "%s", what).Mend("%s", remedy))
}

// divides reports a number that does not divide another one.
func (c *checks) divides(path string, number, of int64, what string) {
	if of%number != 0 {
		c.wrong(path, fmt.Sprintf("%d does not divide %s, %d", number, what, of), fmt.Sprintf("choose a divisor of %d, as in %d", of, divisor(of, number)))
	}
}

// divisor returns the largest divisor of a number that is not above another one.
func divisor(of, most int64) int64 {
	best := int64(1)
	for d := int64(1); d <= most && d <= of/d; d++ {
		if of%d != 0 {
			continue
		}
		if best = max(best, d); of/d <= most {
			return of / d // the others are smaller
		}
	}
	return best
}

func (c *checks) all() {
	m, p := c.model, &c.Parallel
	c.divides("parallel.tensor", p.Tensor, m.Heads, "the attention heads")
	if p.Tensor%m.KVHeads != 0 && m.KVHeads%p.Tensor != 0 {
		c.wrong("parallel.tensor", fmt.Sprintf("%d neither divides the heads of keys and values, %d, nor is a multiple of them", p.Tensor, m.KVHeads), fmt.Sprintf("choose as in %d", divisor(m.KVHeads, p.Tensor)))
	}
	if m.Experts == 0 || m.DenseLayers > 0 {
		c.divides("parallel.tensor", p.Tensor, m.FeedForward, "the feed-forward size")
	}
	c.divides("parallel.context", p.Context, m.Sequence, "the sequence")
	if own := m.Sequence / p.Context; p.Sequence {
		c.divides("parallel.tensor", p.Tensor, own, "the tokens of a sequence at a rank")
	}
	c.experts()
	c.stages()
	if b := c.Batch.global(p); b%product(c.Batch.Micro, p.Data) != 0 {
		each := product(c.Batch.Micro, p.Data)
		c.wrong("batch.global", fmt.Sprintf("%d sequences are not a multiple of %d, which is a micro-batch of %d for each of %d copies of the model", b, each, c.Batch.Micro, p.Data), fmt.Sprintf("choose as in %d", product(parts(b, each), each)))
	}
}

func (c *checks) experts() {
	m, p := c.model, &c.Parallel
	if m.Experts == 0 {
		if p.Expert > 1 {
			c.wrong("parallel.expert", "the model has no experts", "leave it out, or choose a model with experts, as in mixtral-8x7b")
		}
		return
	}
	c.divides("parallel.tensor", p.Tensor, m.ExpertFeedForward, "the feed-forward size of experts")
	c.divides("parallel.expert", p.Expert, m.Experts, "the experts")
	c.divides("parallel.expert", p.Expert, p.Data, "data parallelism")
	if p.Expert > 1 && p.Tensor > 1 && !p.Sequence {
		c.wrong("parallel.sequence", "experts over several ranks with tensor parallelism need sequence parallelism, so that each rank sends its own tokens", "set parallel.sequence to true")
	}
}

func (c *checks) stages() {
	m, p := c.model, &c.Parallel
	s, err := c.Schedule.Build()
	if err != nil {
		c.list = append(c.list, err)
		return
	}
	chunks := product(p.Pipeline, s.Chunks)
	what := "stages"
	if s.Chunks > 1 {
		what = "chunks"
	}
	switch {
	case len(p.Split) == 0 && m.Layers%chunks != 0:
		c.wrong("parallel.pipeline", fmt.Sprintf("%d %s do not divide %d layers", chunks, what, m.Layers), fmt.Sprintf("choose as in %d, or give the layers of each under parallel.split", divisor(m.Layers, chunks)))
	case len(p.Split) > 0 && int64(len(p.Split)) != chunks:
		c.wrong("parallel.split", fmt.Sprintf("there are %d numbers for %d %s", len(p.Split), chunks, what), "give one for each")
	case len(p.Split) > 0 && slices.Min(p.Split) < 0:
		c.wrong("parallel.split", "there is a negative number of layers", "give 0 or more for each")
	case len(p.Split) > 0 && total(p.Split...) != m.Layers:
		c.wrong("parallel.split", fmt.Sprintf("the numbers add up to %d, and the model has %d layers", total(p.Split...), m.Layers), fmt.Sprintf("change them so that they add up to %d", m.Layers))
	}
	if !s.whole {
		return
	}
	if p.Pipeline == 1 {
		c.wrong("schedule", "the interleaved schedule needs several stages", "set parallel.pipeline to 2 or more, or choose 1f1b")
		return
	}
	if micro := c.Batch.global(p) / product(c.Batch.Micro, p.Data); micro%p.Pipeline != 0 {
		c.wrong("batch.global", fmt.Sprintf("the interleaved schedule needs a multiple of %d micro-batches, as many as stages, but there are %d", p.Pipeline, micro), fmt.Sprintf("choose as in %d", product(parts(micro, p.Pipeline), p.Pipeline, c.Batch.Micro, p.Data)))
	}
}

// countable tells whether no number of a training is too large.
func (t *training) countable() bool {
	size := t.grid.size
	tensor, context, expert := size[tensorDim], size[contextDim], size[expertDim]
	// Collectives refuse buffers that are too large times the size of their group.
	for _, bytes := range []int64{
		product(t.hidden, tensor), product(t.projected, tensor), product(t.keys, context, context), product(t.routed, expert), product(t.routed, tensor, tensor),
		product(t.model.Parameters(), 4, context, expert, size[dataDim]),
	} {
		if bytes >= tooMuch {
			return false
		}
	}
	return !t.large
}
