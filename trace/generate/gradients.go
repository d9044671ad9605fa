package generate

import "weft/trace/collective"

// Stages of ZeRO (Rajbhandari et al., SC 2020): what each rank of the data group keeps only its share of.
const (
	optimizerShared  = 1
	gradientsShared  = 2
	parametersShared = 3
)

// bucket is gradients that are reduced as one.
type bucket struct {
	// Parameters of the data group, and of the group that has the same experts.
	shared, routed int64
	units          []int
}

// gather asks for the parameters of a unit, of which each rank has a share.
func (k *worker) gather(i int) {
	u := &k.units[i]
	if k.spec.ZeRO < parametersShared || u.gathered {
		return
	}
	u.gathered = true
	u.ready = join(u.ready, k.collect(u.shared, u.routed, nil))
}

// collect gathers parameters from the ranks that have shares of them.
func (k *worker) collect(shared, routed int64, after []uint32) []uint32 {
	after = k.call(collective.AllGather, &k.data, gatherStream, product(shared, k.weight), after)
	return k.call(collective.AllGather, &k.expertData, gatherStream, product(routed, k.weight), after)
}

// ripe takes the gradients of a unit that went backward. They are complete after the last micro-batch. If
// ranks keep shares only, those of each micro-batch are reduced.
func (k *worker) ripe(i int, s step) {
	if !s.last && k.spec.ZeRO < gradientsShared {
		return
	}
	u := &k.units[i]
	k.open.shared = total(k.open.shared, u.shared)
	k.open.routed = total(k.open.routed, u.routed)
	k.open.units = append(k.open.units, i)
	full := product(total(k.open.shared, k.open.routed), k.gradient) >= int64(k.spec.Gradients.Bucket)
	if k.spec.ZeRO == parametersShared || k.spec.Gradients.Overlap && full {
		k.reduce()
	}
}

// reduce adds up the gradients of the open bucket.
func (k *worker) reduce() {
	if len(k.open.units) == 0 {
		return
	}
	kind := collective.AllReduce
	if k.spec.ZeRO > 0 {
		kind = collective.ReduceScatter
	}
	k.call(kind, &k.data, dataStream, product(k.open.shared, k.gradient), nil)
	k.call(kind, &k.expertData, dataStream, product(k.open.routed, k.gradient), nil)
	k.buckets = append(k.buckets, k.open)
	k.open = bucket{}
}

// optimizerBytes is what Adam reads and writes per parameter: the gradient, and the parameter with its two
// moments in 32 bits, read and written. The new parameter comes on top.
const optimizerBytes = 4 + 2*3*4

// finish ends an iteration: gradients are reduced, and the optimizer computes new parameters.
func (k *worker) finish() {
	k.reduce()
	z := k.spec.ZeRO
	ready := k.tails[dataStream]
	ready = k.call(collective.AllReduce, &k.embedding, dataStream, product(parts(product(k.model.Vocabulary, k.model.Hidden), k.spec.Parallel.Tensor), k.gradient), ready)
	if k.spec.Gradients.Clip {
		ready = k.call(collective.AllReduce, &k.modelParallel, dataStream, normBytes, ready)
	}
	ready = k.compute(k.optimizer(), ready)
	k.last = join(ready, k.last) // whether or not the optimizer takes any time
	if z == optimizerShared || z == gradientsShared {
		k.renew(ready)
	}
	k.buckets = nil
}

// normBytes is the size of the norm of the gradients.
const normBytes = 4

// optimizer returns how long the optimizer takes.
func (k *worker) optimizer() int64 {
	if d := k.spec.Durations; d != nil {
		return nanoseconds(d.Optimizer)
	}
	bytes := int64(0)
	for _, u := range k.units {
		shared, routed := u.shared, u.routed
		if k.spec.ZeRO > 0 {
			shared, routed = parts(shared, k.data.size()), parts(routed, k.expertData.size())
		}
		bytes = total(bytes, product(total(shared, routed), optimizerBytes+k.weight))
	}
	return k.nanoseconds(work{0, bytes})
}

// renew gathers the new parameters. The layers of the next iteration wait for theirs, or for all if
// nothing overlaps.
func (k *worker) renew(after []uint32) {
	all := bucket{}
	for i, u := range k.units {
		all.shared = total(all.shared, u.shared)
		all.routed = total(all.routed, u.routed)
		all.units = append(all.units, i)
	}
	buckets := []bucket{all}
	if k.spec.Gradients.Overlap && k.spec.ZeRO == optimizerShared {
		buckets = k.buckets
	}
	for i := len(buckets) - 1; i >= 0; i-- { // the first layers first
		b := &buckets[i]
		ready := k.collect(b.shared, b.routed, after)
		for _, u := range b.units {
			k.units[u].ready = ready
		}
	}
}
