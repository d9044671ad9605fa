package generate

import "weft/trace/collective"

// forward takes a micro-batch forward through a chunk.
func (k *worker) forward(s step) {
	data := k.arrive(s)
	first, end := k.chunk(s.chunk)
	for i := first; i < end; i++ {
		u := &k.units[i]
		k.gather(i)
		if i+1 < end {
			k.gather(i + 1)
		}
		data = join(data, u.ready)
		u.ready = nil
		switch u.what {
		case embeddingUnit:
			data = k.sum(k.compute(k.embed[forward], data))
		case headUnit:
			data = k.compute(k.logits[forward], k.enter(data))
			for range lossNumbers {
				data = k.share(collective.AllReduce, k.scalars, data)
			}
		default:
			data = k.layerForward(u.what, data)
		}
		u.gathered = false
	}
	k.leave(s, data)
}

// lossNumbers is how many numbers per token the ranks of a tensor group reduce for the loss, since each has a
// part of the vocabulary: the largest logit, the one of the right token, and the sum of exponentials.
const lossNumbers = 3

func (k *worker) layerForward(w what, data []uint32) []uint32 {
	return k.feed(w, forward, k.attend(w, forward, data))
}

// attend is the attention of a layer, whichever way.
func (k *worker) attend(w what, d direction, data []uint32) []uint32 {
	data = k.enter(data)
	p := &k.times[w-denseUnit]
	if k.context.size() == 1 && k.projected == 0 {
		return k.sum(k.compute(p.project[d]+p.core[d], data))
	}
	data = k.compute(p.project[d], data)
	if d == forward {
		data = k.share(collective.AllGather, k.projected, data)
	}
	data = k.core(d, data, p.core[d])
	if d == backward {
		data = k.share(collective.ReduceScatter, k.projected, data)
	}
	return k.sum(data)
}

// core is the core of attention, with the exchange of keys and values in the context group.
func (k *worker) core(d direction, data []uint32, nanoseconds int64) []uint32 {
	if k.context.size() > 1 && k.spec.Parallel.Exchange == "ring" {
		return k.around(d, data, nanoseconds)
	}
	whole := product(k.keys, k.context.size())
	data = k.call(collective.AllGather, &k.context, contextStream, whole, data)
	data = k.compute(nanoseconds, data)
	if d == backward {
		data = k.call(collective.ReduceScatter, &k.context, contextStream, whole, data)
	}
	return data
}

// around is the core of attention, while keys and values go around the context group: each rank computes
// with those that it has and passes them on meanwhile. Backward, their gradients go with them.
func (k *worker) around(d direction, data []uint32, nanoseconds int64) []uint32 {
	size := k.keys
	if d == backward {
		size = product(2, size)
	}
	n := k.context.size()
	have := data
	for i := range n {
		coming := have
		if i+1 < n {
			tag := int64(k.ring.messages)
			k.send(&k.ring, size, tag, have)
			coming = k.receive(&k.ringBack, size, tag)
		}
		share := nanoseconds / n
		if i < nanoseconds%n {
			share++
		}
		data = k.compute(share, join(data, have))
		have = coming
	}
	return data
}

// feed is the feed-forward network of a layer, or its experts, whichever way.
func (k *worker) feed(w what, d direction, data []uint32) []uint32 {
	p := &k.times[w-denseUnit]
	if w == denseUnit || k.expert.size() == 1 {
		return k.sum(k.compute(p.common[d]+p.route[d]+p.feed[d], k.enter(data)))
	}
	// Backward everything comes in the opposite order, and the messages are the same.
	whole := product(k.routed, k.tensor.size())
	if d == forward {
		data = k.compute(p.route[d], k.common(d, p.common[d], data))
	}
	data = k.call(collective.AllToAll, &k.expert, expertStream, k.routed, data)
	data = k.share(collective.AllGather, whole, data)
	data = k.compute(p.feed[d], data)
	data = k.share(collective.ReduceScatter, whole, data)
	data = k.call(collective.AllToAll, &k.expert, expertStream, k.routed, data)
	if d == backward {
		data = k.common(d, p.common[d], k.compute(p.route[d], data))
	}
	return data
}

// common is the experts that see every token. Each rank of the tensor group has a part of them.
func (k *worker) common(d direction, nanoseconds int64, data []uint32) []uint32 {
	if k.model.Shared == 0 {
		return data
	}
	return k.sum(k.compute(nanoseconds, k.enter(data)))
}

// backward takes a micro-batch backward through a chunk.
func (k *worker) backward(s step) {
	data := k.arrive(s)
	first, end := k.chunk(s.chunk)
	for i := end - 1; i >= first; i-- {
		u := &k.units[i]
		k.gather(i)
		if i > first {
			k.gather(i - 1)
		}
		data = join(data, u.ready)
		u.ready = nil
		switch u.what {
		case embeddingUnit:
			data = k.compute(k.embed[backward], k.enter(data))
		case headUnit:
			data = k.sum(k.compute(k.logits[backward], data))
		default:
			if k.spec.Recompute == "full" {
				data = k.layerForward(u.what, data)
			}
			data = k.attend(u.what, backward, k.feed(u.what, backward, data))
		}
		u.gathered = false
		k.ripe(i, s)
	}
	if k.spec.ZeRO >= gradientsShared {
		k.reduce()
	}
	k.leave(s, data)
}
