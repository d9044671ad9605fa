package generate

import (
	"weft/catalog"
	"weft/unit"
)

// published is a model as its paper has it.
type published struct {
	name, summary, source string
	transformer
}

// publishedModels lists the models that a file can name.
func publishedModels() []published {
	return []published{
		{"gpt3-175b", "GPT-3", "Brown et al. 2020, Table 2.1; vocabulary of GPT-2",
			transformer{Layers: 96, Hidden: 12288, Heads: 96, Vocabulary: 50257, Sequence: 2048, GPT: true}},
		{"megatron-1t", "The model of 1 trillion parameters of Megatron-LM", "Narayanan et al., SC 2021, Table 1",
			transformer{Layers: 128, Hidden: 25600, Heads: 160, Vocabulary: 51200, Sequence: 2048, GPT: true}},
		{"llama-7b", "LLaMA 7B", "Touvron et al. 2023, Table 2; inner size of the released weights",
			transformer{Layers: 32, Hidden: 4096, Heads: 32, FeedForward: 11008, Vocabulary: 32000, Sequence: 2048}},
		{"llama-3-70b", "Llama 3 70B", "Grattafiori et al. 2024, Table 3",
			transformer{Layers: 80, Hidden: 8192, Heads: 64, KVHeads: 8, FeedForward: 28672, Vocabulary: 128256, Sequence: 8192}},
		{"llama-3-405b", "Llama 3 405B", "Grattafiori et al. 2024, Tables 3 and 4",
			transformer{Layers: 126, Hidden: 16384, Heads: 128, KVHeads: 8, FeedForward: 53248, Vocabulary: 128256, Sequence: 8192}},
		{"mixtral-8x7b", "Mixtral 8x7B, a mixture of experts", "Jiang et al. 2024, Table 1",
			transformer{Layers: 32, Hidden: 4096, Heads: 32, KVHeads: 8, HeadSize: 128, FeedForward: 14336, Vocabulary: 32000, Sequence: 32768, Experts: 8, Active: 2}},
		{"deepseek-v3", "DeepSeek-V3, a mixture of experts with latent attention, without multi-token prediction", "DeepSeek-AI 2024, section 4.2",
			transformer{Layers: 61, Hidden: 7168, Heads: 128, HeadSize: 128, FeedForward: 18432, Vocabulary: 129280, Sequence: 4096,
				Experts: 256, Active: 8, Shared: 1, ExpertFeedForward: 2048, DenseLayers: 3, QueryRank: 1536, KVRank: 512, RopeSize: 64}},
	}
}

func modelEntries() []catalog.Entry[transformer] {
	entries := []catalog.Entry[transformer]{catalog.Define("custom", "A model whose numbers the file gives", "",
		func(o numbers) (transformer, error) { return o.over(transformer{}) })}
	for _, p := range publishedModels() {
		entries = append(entries, catalog.Define(p.name, p.summary, p.source,
			func(o numbers) (transformer, error) { return o.over(p.transformer) }))
	}
	return entries
}

// accelerator is what a rank computes with.
type accelerator struct {
	// Dense and Quarter are peaks in TFLOP/s: of 16-bit and of 8-bit numbers. Single is the peak of 32-bit ones.
	Dense, Quarter, Single float64
	// Bandwidth of the memory, in GB/s.
	Bandwidth float64
	// Efficiency and MemoryEfficiency are the shares of the peaks that computations reach.
	Efficiency, MemoryEfficiency unit.Ratio
}

// efficiencies are the options of all accelerators.
type efficiencies struct {
	Efficiency       unit.Ratio `yaml:"efficiency" default:"50%" min:"0.1%" max:"100%" doc:"Share of the peak that matrix multiplications reach." source:"Narayanan et al., SC 2021, Table 1: 44 % to 52 % on A100"`
	MemoryEfficiency unit.Ratio `yaml:"memory_efficiency" default:"80%" min:"0.1%" max:"100%" doc:"Share of the memory's bandwidth that computations reach."`
}

// custom are the options of an accelerator that is not known by name.
type custom struct {
	Peak      float64 `yaml:"peak" min:"0.001" max:"1000000000" doc:"Peak of the precision in use, in TFLOP/s."`
	Bandwidth float64 `yaml:"bandwidth" min:"0.001" max:"1000000000" doc:"Bandwidth of the memory, in GB/s."`

	Efficiency       unit.Ratio `yaml:"efficiency" default:"50%" min:"0.1%" max:"100%" doc:"Share of the peak that matrix multiplications reach."`
	MemoryEfficiency unit.Ratio `yaml:"memory_efficiency" default:"80%" min:"0.1%" max:"100%" doc:"Share of the memory's bandwidth that computations reach."`
}

// accelerators are the accelerators that a file can name, with peaks without sparsity.
func accelerators() *catalog.Set[accelerator] {
	known := func(name, summary, source string, a accelerator) catalog.Entry[accelerator] {
		return catalog.Define(name, summary, source, func(o efficiencies) (accelerator, error) {
			a.Efficiency, a.MemoryEfficiency = o.Efficiency, o.MemoryEfficiency
			return a, nil
		})
	}
	s := &catalog.Set[accelerator]{}
	err := s.Add(
		known("v100", "NVIDIA V100 SXM2", "NVIDIA V100 data sheet", accelerator{Dense: 125, Quarter: 125, Single: 15.7, Bandwidth: 900}),
		known("a100", "NVIDIA A100 SXM, 80 GB", "NVIDIA A100 data sheet", accelerator{Dense: 312, Quarter: 312, Single: 156, Bandwidth: 2039}),
		known("h100", "NVIDIA H100 SXM; H800 computes as fast", "NVIDIA H100 data sheet", accelerator{Dense: 989.4, Quarter: 1978.9, Single: 494.7, Bandwidth: 3350}),
		known("h200", "NVIDIA H200 SXM", "NVIDIA H200 data sheet", accelerator{Dense: 989.4, Quarter: 1978.9, Single: 494.7, Bandwidth: 4800}),
		known("mi300x", "AMD Instinct MI300X", "AMD MI300X data sheet", accelerator{Dense: 1307.4, Quarter: 2614.9, Single: 653.7, Bandwidth: 5300}),
		catalog.Define("custom", "An accelerator whose numbers the file gives", "", func(o custom) (accelerator, error) {
			return accelerator{o.Peak, o.Peak, o.Peak, o.Bandwidth, o.Efficiency, o.MemoryEfficiency}, nil
		}),
	)
	if err != nil {
		panic(err) // a test adds them
	}
	return s
}
