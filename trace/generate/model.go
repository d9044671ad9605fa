package generate

import (
	"strconv"
	"strings"

	"weft/catalog"
	"weft/problem"
)

// transformer is a transformer, with every number known.
type transformer struct {
	Layers, Hidden, Heads, KVHeads, HeadSize, FeedForward, Vocabulary, Sequence int64
	// GPT: biases, LayerNorm, learned positions, a feed-forward network of two matrices, and one matrix
	// for the embedding and the head. Otherwise the block is Llama's.
	GPT bool
	// Experts per layer, how many of them each token goes to, and how many see all tokens. The first
	// DenseLayers have a network of FeedForward instead.
	Experts, Active, Shared, ExpertFeedForward, DenseLayers int64
	// QueryRank and KVRank are the ranks of latent attention, and RopeSize is how much larger its
	// queries and keys are than its values. All are 0 for other models.
	QueryRank, KVRank, RopeSize int64
}

// numbers are the options of all models. Those that a file leaves out are the model's own.
type numbers struct {
	Layers            *int64  `yaml:"layers" min:"1" max:"100000" doc:"Layers (default: the model's)."`
	Hidden            *int64  `yaml:"hidden" min:"1" max:"10000000" doc:"Hidden size (default: the model's)."`
	Heads             *int64  `yaml:"heads" min:"1" max:"100000" doc:"Attention heads (default: the model's)."`
	KVHeads           *int64  `yaml:"kv_heads" min:"1" max:"100000" doc:"Heads of keys and values (default: the model's, or as many as heads)."`
	HeadSize          *int64  `yaml:"head_size" min:"1" max:"100000" doc:"Size of a head (default: the model's, or hidden over heads)."`
	FeedForward       *int64  `yaml:"feed_forward" min:"1" max:"100000000" doc:"Inner size of the feed-forward network (default: the model's, or 4 times hidden)."`
	Vocabulary        *int64  `yaml:"vocabulary" min:"1" max:"100000000" doc:"Tokens of the vocabulary (default: the model's)."`
	Sequence          *int64  `yaml:"sequence" min:"1" max:"100000000" doc:"Tokens of a sequence (default: the model's)."`
	Block             *string `yaml:"block" enum:"gpt,llama" doc:"Form of a layer: gpt has biases, two feed-forward matrices and one matrix for embedding and head; llama has none, three and two (default: the model's, or llama)."`
	Experts           *int64  `yaml:"experts" min:"0" max:"100000" doc:"Experts of a layer, of which each token goes to some; 0 for none (default: the model's, or 0)."`
	Active            *int64  `yaml:"active_experts" min:"1" max:"100000" doc:"Experts that a token goes to (default: the model's, or 1)."`
	Shared            *int64  `yaml:"shared_experts" min:"0" max:"100000" doc:"Further experts that see every token (default: the model's, or 0)."`
	ExpertFeedForward *int64  `yaml:"expert_feed_forward" min:"1" max:"100000000" doc:"Inner size of an expert (default: the model's, or feed_forward)."`
	DenseLayers       *int64  `yaml:"dense_layers" min:"0" max:"100000" doc:"First layers that have no experts (default: the model's, or 0)."`
	QueryRank         *int64  `yaml:"query_rank" min:"0" max:"10000000" doc:"Rank of queries in latent attention; 0 compresses none (default: the model's, or 0)."`
	KVRank            *int64  `yaml:"kv_rank" min:"0" max:"10000000" doc:"Rank of keys and values in latent attention; 0 is ordinary attention (default: the model's, or 0)."`
	RopeSize          *int64  `yaml:"rope_size" min:"0" max:"100000" doc:"Size of the rotated part of queries and keys in latent attention (default: the model's, or 0)."`
}

// over returns the model with the numbers that a file gives.
func (o numbers) over(m transformer) (transformer, error) {
	for _, f := range []struct {
		from *int64
		to   *int64
	}{
		{o.Layers, &m.Layers}, {o.Hidden, &m.Hidden}, {o.Heads, &m.Heads}, {o.KVHeads, &m.KVHeads}, {o.HeadSize, &m.HeadSize},
		{o.FeedForward, &m.FeedForward}, {o.Vocabulary, &m.Vocabulary}, {o.Sequence, &m.Sequence}, {o.Experts, &m.Experts},
		{o.Active, &m.Active}, {o.Shared, &m.Shared}, {o.ExpertFeedForward, &m.ExpertFeedForward}, {o.DenseLayers, &m.DenseLayers},
		{o.QueryRank, &m.QueryRank}, {o.KVRank, &m.KVRank}, {o.RopeSize, &m.RopeSize},
	} {
		if f.from != nil {
			*f.to = *f.from
		}
	}
	if o.Block != nil {
		m.GPT = *o.Block == "gpt"
	}
	return m.filled()
}

// filled returns the model with what follows from its other numbers.
func (m transformer) filled() (transformer, error) {
	var missing []string
	for _, f := range []struct {
		key   string
		value int64
	}{{"layers", m.Layers}, {"hidden", m.Hidden}, {"heads", m.Heads}, {"vocabulary", m.Vocabulary}, {"sequence", m.Sequence}} {
		if f.value == 0 {
			missing = append(missing, f.key)
		}
	}
	if len(missing) > 0 {
		return m, without(missing)
	}
	orElse := func(v *int64, otherwise int64) {
		if *v == 0 {
			*v = otherwise
		}
	}
	orElse(&m.KVHeads, m.Heads)
	if m.HeadSize == 0 {
		if m.Hidden%m.Heads != 0 {
			return m, problem.At("heads", "%d heads do not divide the hidden size of %d", m.Heads, m.Hidden).Mend("choose a divisor of %d, or give head_size", m.Hidden)
		}
		m.HeadSize = m.Hidden / m.Heads
	}
	orElse(&m.FeedForward, 4*m.Hidden)
	orElse(&m.ExpertFeedForward, m.FeedForward)
	orElse(&m.Active, 1)
	switch {
	case m.Heads%m.KVHeads != 0:
		return m, problem.At("kv_heads", "%d heads of keys and values do not divide %d heads", m.KVHeads, m.Heads).Mend("choose a divisor of %d", m.Heads)
	case m.Experts > 0 && m.Active > m.Experts:
		return m, problem.At("active_experts", "a token goes to %d experts, but there are %d", m.Active, m.Experts).Mend("choose at most %d", m.Experts)
	case m.DenseLayers > m.Layers:
		return m, problem.At("dense_layers", "%d layers without experts are more than all %d layers", m.DenseLayers, m.Layers).Mend("choose at most %d", m.Layers)
	case m.KVRank == 0 && m.QueryRank+m.RopeSize > 0:
		return m, problem.At("kv_rank", "query_rank and rope_size are for latent attention, which has a kv_rank").Mend("give kv_rank, or leave them out")
	case m.Parameters() >= tooMuch:
		return m, problem.At("hidden", "the model has too many parameters to count").Mend("choose smaller numbers")
	}
	return m, nil
}

// without is the error of a model that lacks numbers.
func without(keys []string) error {
	example := map[string]string{"layers": "32", "hidden": "4096", "heads": "32", "vocabulary": "32000", "sequence": "4096"}
	names, values := make([]string, len(keys)), make([]string, len(keys))
	for i, key := range keys {
		names[i], values[i] = strconv.Quote(key), key+": "+example[key]
	}
	last, is := len(keys)-1, "is"
	text := names[last]
	if last > 0 {
		text, is = strings.Join(names[:last], ", ")+" and "+text, "are"
	}
	return problem.New("%s %s missing", text, is).Mend("write as in %s, or name a published model, as in model: llama-7b", strings.Join(values, ", "))
}

// tooMuch is from where on parameters, operations and bytes are not counted.
const tooMuch = 1 << 61

// keySize is the size of a query and of a key; a value has HeadSize.
func (m *transformer) keySize() int64 { return m.HeadSize + m.RopeSize }

// projections returns how many elements the matrices of attention have.
func (m *transformer) projections() int64 {
	if m.KVRank == 0 {
		return product(m.Hidden, m.HeadSize, 2*m.Heads+2*m.KVHeads)
	}
	query := product(m.Hidden, m.Heads, m.keySize())
	if m.QueryRank > 0 {
		query = total(product(m.Hidden, m.QueryRank), product(m.QueryRank, m.Heads, m.keySize()))
	}
	return total(query, product(m.Hidden, m.KVRank+m.RopeSize), product(m.KVRank, m.Heads, 2*m.HeadSize), product(m.Heads, m.HeadSize, m.Hidden))
}

// network returns how many elements the matrices of a feed-forward network have.
func (m *transformer) network(inner int64) int64 {
	if m.GPT {
		return product(2, m.Hidden, inner)
	}
	return product(3, m.Hidden, inner)
}

// vectors returns how many elements the norms and biases of a layer have, without biases of experts.
func (m *transformer) vectors() int64 {
	if m.GPT {
		return total(4*m.Hidden, product(m.HeadSize, m.Heads+2*m.KVHeads), m.Hidden, m.FeedForward, m.Hidden)
	}
	return 2*m.Hidden + m.QueryRank + m.KVRank
}

// sparse tells whether a layer has experts.
func (m *transformer) sparse(layer int64) bool { return m.Experts > 0 && layer >= m.DenseLayers }

// shared returns the parameters of a layer that all tokens use.
func (m *transformer) shared(sparse bool) int64 {
	all := total(m.projections(), m.vectors())
	if !sparse {
		return total(all, m.network(m.FeedForward))
	}
	return total(all, product(m.Hidden, m.Experts), product(m.Shared, m.network(m.ExpertFeedForward)))
}

// routed returns the parameters of the experts of a layer.
func (m *transformer) routed(sparse bool) int64 {
	if !sparse {
		return 0
	}
	return product(m.Experts, m.network(m.ExpertFeedForward))
}

// embedding returns the parameters of the embedding.
func (m *transformer) embedding() int64 {
	all := product(m.Vocabulary, m.Hidden)
	if m.GPT {
		all = total(all, product(m.Sequence, m.Hidden))
	}
	return all
}

// head returns the parameters after the last layer, without the matrix if it is the embedding's.
func (m *transformer) head() int64 {
	if m.GPT {
		return 2 * m.Hidden
	}
	return total(product(m.Vocabulary, m.Hidden), m.Hidden)
}

// Parameters returns how many the model has.
func (m *transformer) Parameters() int64 {
	dense, sparse := m.DenseLayers, m.Layers-m.DenseLayers
	if m.Experts == 0 {
		dense, sparse = m.Layers, 0
	}
	return total(m.embedding(), m.head(), product(dense, m.shared(false)), product(sparse, total(m.shared(true), m.routed(true))))
}

// models are the models that a file can name.
func models() *catalog.Set[transformer] {
	s := &catalog.Set[transformer]{}
	if err := s.Add(modelEntries()...); err != nil {
		panic(err) // a test adds them
	}
	return s
}
