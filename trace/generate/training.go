package generate

import (
	"weft/trace/collective"
)

// training is a run of a model, of which ranks write their parts.
type training struct {
	spec        *Spec
	model       transformer
	grid        *grid
	schedule    schedule
	accelerator accelerator
	// micro is how many micro-batches a pipeline has in an iteration, and layers how many layers each chunk
	// of the pipeline has.
	micro  int64
	layers []int64

	// Times, in nanoseconds. Layers are dense or, with index 1, sparse.
	times         [2]pieces
	embed, logits [2]int64
	large         bool // some work cannot be counted

	// Bytes of buffers: activations between layers, keys and values of one rank, queries, keys and values
	// that the tensor group collects, tokens on their way to experts, one number per token, and a message
	// between stages.
	hidden, keys, projected, routed, scalars, boundary int64
	// gradient and weight are bytes of numbers.
	gradient, weight int64
}

// newTraining plans a training whose specification has been checked.
func newTraining(s *Spec, m transformer, g *grid) (*training, error) {
	t := &training{spec: s, model: m, grid: g, gradient: bytesOf(s.Gradients.Precision), weight: bytesOf(s.Precision)}
	var err error
	if t.schedule, err = s.Schedule.Build(); err != nil {
		return nil, err
	}
	if t.accelerator, err = s.Accelerator.Build(); err != nil {
		return nil, err
	}
	p := &s.Parallel
	t.layers = p.Split
	if len(t.layers) == 0 {
		chunks := p.Pipeline * t.schedule.Chunks
		for range chunks {
			t.layers = append(t.layers, m.Layers/chunks)
		}
	}
	t.micro = s.Batch.global(p) / (s.Batch.Micro * p.Data)

	tokens := product(s.Batch.Micro, m.Sequence) / p.Context
	c := &costs{transformer: &m, tokens: tokens, tensor: p.Tensor, expert: p.Expert, sequential: p.Sequence, activation: t.weight, weight: t.weight}
	t.times = [2]pieces{t.layer(c, false), t.layer(c, m.Experts > 0)}
	t.embed, t.logits = t.both(c.embed()), t.both(c.logits())
	if d := s.Durations; d != nil {
		t.embed, t.logits = [2]int64{}, [2]int64{nanoseconds(d.Head), opposite * nanoseconds(d.Head)}
	}
	t.hidden = c.moved(product(tokens, m.Hidden))
	t.keys, t.projected = c.keys(), c.projected()
	t.routed = parts(product(t.hidden, m.Active), p.Tensor)
	t.scalars = product(4, tokens)
	t.boundary = t.hidden
	if p.Sequence || p.Scatter {
		t.boundary = parts(t.hidden, p.Tensor)
	}
	return t, nil
}

// portion is a part of the model whose gradients are reduced as one.
type portion struct {
	what
	chunk int64
	// Parameters at the rank: of the data group, and of the group that has the same experts.
	shared, routed int64
	// ready is what the first computation of the unit waits for, and gathered tells that its parameters
	// were asked for.
	ready    []uint32
	gathered bool
}

// what is the kind of a unit.
type what uint8

const (
	embeddingUnit what = iota
	denseUnit
	sparseUnit
	headUnit
)

// worker writes what one rank does.
type worker struct {
	*training
	*writer
	at                                         place
	tensor, context, expert                    group
	data, expertData, embedding, modelParallel group
	in, out                                    [2]channel // by direction
	ring, ringBack                             channel
	units                                      []portion // in the order of the model
	buckets                                    []bucket
	open                                       bucket
	iteration                                  int64
}

func (t *training) ranks() int { return int(t.grid.ranks()) }

// worker returns the writer of a rank.
func (t *training) worker(rank int, w *writer) *worker {
	g := t.grid
	at := g.place(int64(rank))
	k := &worker{
		training: t, writer: w, at: at,
		tensor:     g.group(tensorClass, at, tensorDim),
		context:    g.group(contextClass, at, contextDim),
		expert:     g.group(expertClass, at, expertDim),
		data:       g.group(dataClass, at, contextDim, expertDim, dataDim),
		expertData: g.group(expertDataClass, at, contextDim, dataDim),
		embedding:  t.ends(at),
	}
	k.modelParallel = g.group(modelClass, at, tensorDim, pipelineDim)
	if t.spec.ZeRO > 0 { // the norm of gradients of which each rank has a share
		k.modelParallel = g.group(modelClass, at, tensorDim, contextDim, expertDim, dataDim, pipelineDim)
	}
	k.connect()
	k.divide()
	return k
}

// write writes the schedule of a rank.
func (t *training) write(rank int, w *writer) {
	k := t.worker(rank, w)
	steps := t.schedule.steps(t.grid.size[pipelineDim], k.at[pipelineDim], t.micro, t.schedule.Chunks)
	for ; k.iteration < t.spec.Iterations && k.err == nil; k.iteration++ {
		for _, s := range steps {
			if s.direction == forward {
				k.forward(s)
			} else {
				k.backward(s)
			}
		}
		k.finish()
	}
}

// ends is the group of the first and the last stage, which share the matrix of the embedding in a GPT.
func (t *training) ends(at place) group {
	g, stages := t.grid, t.grid.size[pipelineDim]
	all := g.group(embeddingClass, at, pipelineDim)
	only := group{class: embeddingClass, number: all.number, ranks: []int32{all.ranks[all.place]}}
	if last := at[pipelineDim] == stages-1; t.model.GPT && stages > 1 && (last || at[pipelineDim] == 0) {
		only.ranks = []int32{all.ranks[0], all.ranks[stages-1]}
		if last {
			only.place = 1
		}
	}
	return only
}

// connect finds the neighbours of the stage and those of the rank in its context group.
func (k *worker) connect() {
	pipeline := k.grid.group(pipelineClass, k.at, pipelineDim)
	n := len(pipeline.ranks)
	me := pipeline.ranks[pipeline.place]
	next, before := pipeline.ranks[(pipeline.place+1)%n], pipeline.ranks[(pipeline.place+n-1)%n]
	l := channel{class: activationClass, stream: pipelineStream, name: "activations", group: pipelineClass.of(pipeline.number)}
	l.peer, l.from = next, me
	k.out[forward] = l
	l.peer, l.from = before, before
	k.in[forward] = l
	l.class, l.name = gradientClass, "gradients"
	l.peer, l.from = before, me
	k.out[backward] = l
	l.peer, l.from = next, next
	k.in[backward] = l

	c := &k.context
	n = len(c.ranks)
	l = channel{class: contextRingClass, stream: contextStream, name: "keys", group: c.class.of(c.number)}
	l.peer, l.from = c.ranks[(c.place+1)%n], c.ranks[c.place]
	k.ring = l
	l.peer = c.ranks[(c.place+n-1)%n]
	l.from = l.peer
	k.ringBack = l
}

// divide lists the units of the rank.
func (k *worker) divide() {
	m, p := &k.model, &k.spec.Parallel
	layer := int64(0)
	for virtual, layers := range k.layers {
		chunk := int64(virtual) / p.Pipeline
		mine := int64(virtual)%p.Pipeline == k.at[pipelineDim]
		add := func(w what, shared, routed int64) {
			if p.Expert == 1 {
				shared, routed = total(shared, routed), 0
			}
			if mine {
				k.units = append(k.units, portion{what: w, chunk: chunk, shared: parts(shared, p.Tensor), routed: parts(routed, product(p.Tensor, p.Expert))})
			}
		}
		if virtual == 0 {
			add(embeddingUnit, m.embedding(), 0)
		}
		for range layers {
			w := denseUnit
			sparse := m.sparse(layer)
			if sparse {
				w = sparseUnit
			}
			add(w, m.shared(sparse), m.routed(sparse))
			layer++
		}
		if virtual == len(k.layers)-1 {
			head := m.head()
			if m.GPT && p.Pipeline > 1 { // a copy of the embedding's
				head = total(head, product(m.Vocabulary, m.Hidden))
			}
			add(headUnit, head, 0)
		}
	}
}

// chunk returns the units of a chunk, from first on, before end.
func (k *worker) chunk(chunk int64) (first, end int) {
	for first < len(k.units) && k.units[first].chunk < chunk {
		first++
	}
	for end = first; end < len(k.units) && k.units[end].chunk == chunk; end++ {
	}
	return first, end
}

// outermost tells whether a chunk is the first of the model, or else the last.
func (k *worker) outermost(s step, d direction) bool {
	if d == forward {
		return s.chunk == 0 && k.at[pipelineDim] == 0
	}
	return s.chunk == k.schedule.Chunks-1 && k.at[pipelineDim] == k.grid.size[pipelineDim]-1
}

// number tells messages between two stages apart.
func (k *worker) number(s step, chunk int64) int64 {
	return (k.iteration*k.micro+s.micro)*k.schedule.Chunks + chunk
}

// arrive receives what a step begins with.
func (k *worker) arrive(s step) []uint32 {
	if k.outermost(s, s.direction) {
		return nil
	}
	return k.unpack(k.receive(&k.in[s.direction], k.boundary, k.number(s, s.chunk)))
}

// unpack collects the shares of an activation that the ranks of the tensor group received.
func (k *worker) unpack(after []uint32) []uint32 {
	if p := &k.spec.Parallel; !p.Scatter || p.Sequence {
		return after
	}
	return k.share(collective.AllGather, k.hidden, after)
}

// leave sends what a step ends with.
func (k *worker) leave(s step, after []uint32) {
	if k.outermost(s, 1-s.direction) {
		return
	}
	// The chunk that takes it is the next one if the message goes around, from the last stage to the first.
	chunk, stages := s.chunk, k.grid.size[pipelineDim]
	switch {
	case s.direction == forward && k.at[pipelineDim] == stages-1:
		chunk++
	case s.direction == backward && k.at[pipelineDim] == 0:
		chunk--
	}
	k.send(&k.out[s.direction], k.boundary, k.number(s, chunk), after)
}

// share is a collective of the tensor group.
func (k *worker) share(kind collective.Kind, size int64, after []uint32) []uint32 {
	return k.call(kind, &k.tensor, tensorStream, size, after)
}

// enter collects what a layer's matrices need, if it is cut over the tensor group.
func (k *worker) enter(after []uint32) []uint32 {
	if !k.spec.Parallel.Sequence {
		return after
	}
	return k.share(collective.AllGather, k.hidden, after)
}

// sum adds up what the ranks of the tensor group computed.
func (k *worker) sum(after []uint32) []uint32 {
	if k.spec.Parallel.Sequence {
		return k.share(collective.ReduceScatter, k.hidden, after)
	}
	return k.share(collective.AllReduce, k.hidden, after)
}
