// Package generate makes traces of applications that were never run: training of a model that is cut over
// many ranks, and the kernels of MPI programs.
//
// A training follows Megatron-LM (Narayanan et al., SC 2021; Korthikanti et al. 2022), with ZeRO (Rajbhandari
// et al., SC 2020) and experts. docs/traces.md has the formulas, and says where frameworks differ.
// Computations take as long as a roofline says, or as long as the file says.
//
// Ranks are made one at a time, so that a visitor that keeps none needs the memory of one.
package generate

import (
	"fmt"
	"slices"

	"weft/catalog"
	"weft/internal/readable"
	"weft/trace"
	"weft/trace/collective"
	"weft/unit"
)

// Spec says what to generate. Read it from a file.
type Spec struct {
	Model       *catalog.Choice[transformer] `yaml:"model" doc:"Model to train (default: none, for a kernel)."`
	Parallel    parallel                     `yaml:"parallel" default:"{}" doc:"How the model is cut."`
	Batch       batch                        `yaml:"batch" default:"{}" doc:"How many sequences are trained at once."`
	Schedule    catalog.Choice[schedule]     `yaml:"schedule" default:"1f1b" doc:"Order in which stages take micro-batches."`
	ZeRO        int64                        `yaml:"zero" default:"0" min:"0" max:"3" doc:"Stage of ZeRO: ranks of the data group share the optimizer's state (1), gradients too (2), and parameters too (3)."`
	Recompute   string                       `yaml:"recompute" default:"none" enum:"none,selective,full" doc:"What is computed again when a micro-batch goes backward: nothing, the core of attention, or whole layers."`
	Precision   string                       `yaml:"precision" default:"bf16" enum:"bf16,fp16,fp32,fp8" doc:"Numbers of computations, activations and parameters. With fp8 only computations are in 8 bits."`
	Gradients   reduction                    `yaml:"gradients" default:"{}" doc:"How gradients are reduced."`
	Accelerator catalog.Choice[accelerator]  `yaml:"accelerator" default:"a100" doc:"What each rank computes with."`
	Durations   *durations                   `yaml:"durations" doc:"Times of computations (default: by the accelerator's roofline)."`
	Algorithms  []rule                       `yaml:"algorithms" default:"[]" doc:"Algorithms of collectives, as in [all-reduce=ring, all-gather:64KiB=tree]. The first that fits holds; otherwise few steps for small buffers, and rings for large ones."`
	Node        int64                        `yaml:"node" default:"8" min:"1" max:"1000000" doc:"Ranks per node, for the algorithm hierarchical."`
	Iterations  int64                        `yaml:"iterations" default:"1" min:"1" max:"1000000000" doc:"Iterations, one after another."`
	Kernel      *catalog.Choice[kernel]      `yaml:"kernel" doc:"Kernel of an MPI program, instead of a model (default: none)."`

	// source makes the schedules, and over is what holds rather than the file.
	source source
	over   collective.Settings
}

// batch is how many sequences are trained at once.
type batch struct {
	Micro int64 `yaml:"micro" default:"1" min:"1" max:"1000000" doc:"Sequences of a micro-batch."`
	// Global is for all copies of the model.
	Global *int64 `yaml:"global" min:"1" max:"1000000000" doc:"Sequences of an iteration (default: 4 micro-batches per stage and copy of the model)."`
}

// microBatches is how many micro-batches per stage a batch has by default.
const microBatches = 4

// global returns the sequences of an iteration.
func (b *batch) global(p *parallel) int64 {
	if b.Global != nil {
		return *b.Global
	}
	return product(b.Micro, p.Data, microBatches, p.Pipeline)
}

// reduction says how gradients are reduced.
type reduction struct {
	Precision string     `yaml:"precision" default:"fp32" enum:"fp32,bf16,fp16" doc:"Numbers that are reduced."`
	Overlap   bool       `yaml:"overlap" default:"true" doc:"Reduce gradients in buckets while earlier layers go backward, rather than all at the end."`
	Bucket    unit.Bytes `yaml:"bucket" default:"160MB" min:"1B" doc:"Bytes of gradients from which on a bucket is reduced. Layers are not cut." source:"Megatron-LM: 40 million parameters"`
	Clip      bool       `yaml:"clip" default:"true" doc:"Reduce the norm of all gradients before the optimizer."`
}

// durations are times of computations.
type durations struct {
	Forward   unit.Time `yaml:"forward" min:"0s" max:"1000s" doc:"Time of one layer forward, for one micro-batch on one rank."`
	Backward  unit.Time `yaml:"backward" min:"0s" max:"1000s" doc:"Time of one layer backward."`
	Head      unit.Time `yaml:"head" default:"0s" min:"0s" max:"1000s" doc:"Time of the head forward. Backward takes twice as long."`
	Optimizer unit.Time `yaml:"optimizer" default:"0s" min:"0s" max:"1000s" doc:"Time of the optimizer."`
}

// nanoseconds returns a time as operations have it.
func nanoseconds(t unit.Time) int64 { return int64((t + unit.Nanosecond/2) / unit.Nanosecond) }

// bytesOf returns the bytes of a number.
func bytesOf(precision string) int64 {
	if precision == "fp32" {
		return 4
	}
	return 2
}

// source makes the schedule of one rank after another.
type source interface {
	ranks() int
	write(rank int, w *writer)
	// count refuses more operations than a rank can have. Its writer counts and does not write.
	count(w *writer) error
}

// Ranks returns how many ranks the trace has.
func (s *Spec) Ranks() int { return s.source.ranks() }

// Generate makes the trace.
func (s *Spec) Generate() (*trace.Trace, error) {
	t := &trace.Trace{Ranks: make([]trace.Schedule, 0, s.Ranks())}
	var err error
	t.Calls, err = s.ScanCalls(func(_ int, one *trace.Schedule) error {
		t.Ranks = append(t.Ranks, *one)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return t, nil
}

// Scan makes the schedules of all ranks in order, without their calls. They are the visitor's to keep. Each
// scan makes the same ones.
func (s *Spec) Scan(visit func(rank int, s *trace.Schedule) error) error { return s.scan(nil, visit) }

// ScanCalls is Scan with calls, which it returns at the end.
func (s *Spec) ScanCalls(visit func(rank int, s *trace.Schedule) error) ([]trace.Call, error) {
	calls := &book{}
	err := s.scan(calls, visit)
	return calls.calls, err
}

// Override lets settings of collectives hold before those of the file. A node of one rank or none is none.
func (s *Spec) Override(c collective.Settings) { s.over = c }

func (s *Spec) scan(calls *book, visit func(rank int, s *trace.Schedule) error) error {
	// Settings from outside may take more operations than those of the file, which were counted when it was read.
	if c := &s.over; len(c.Choice) > 0 || c.Reduction > 0 || c.Node > 1 {
		if err := s.source.count(s.counter()); err != nil {
			return err
		}
	}
	w := s.writer()
	w.book = calls
	for r := range s.Ranks() {
		w.begin()
		s.source.write(r, w)
		if w.err != nil {
			return w.err
		}
		one := w.b.Schedule()
		if err := visit(r, &one); err != nil {
			return err
		}
	}
	return nil
}

// writer returns a writer of what the file and settings from outside say.
func (s *Spec) writer() *writer {
	w := &writer{node: int(s.Node), rules: slices.Clone(s.over.Choice), reduction: s.over.Reduction}
	if s.over.Node > 1 {
		w.node = s.over.Node
	}
	for _, r := range s.Algorithms {
		w.rules = append(w.rules, r.Rule)
	}
	return w
}

// counter returns a writer that counts.
func (s *Spec) counter() *writer {
	w := s.writer()
	w.tally = &tally{known: map[collectiveOf]int64{}}
	return w
}

// rule is a rule of algorithms, as files have it.
type rule struct{ collective.Rule }

// UnmarshalText reads a rule.
func (r *rule) UnmarshalText(text []byte) (err error) {
	r.Rule, err = collective.ParseRule(string(text))
	return err
}

// Form describes a rule.
func (rule) Form() catalog.Form { return catalog.Form{Name: "rule", Example: "all-reduce=ring"} }

// About says in a line what is trained. It is empty for a kernel.
func (s *Spec) About() string {
	t, ok := s.source.(*training)
	if !ok {
		return ""
	}
	m := &t.model
	parameters, scale := float64(m.Parameters())/1e6, "million"
	if parameters >= 1000 {
		parameters, scale = parameters/1000, "billion"
	}
	return fmt.Sprintf("%s: %s %s parameters, %s of %s for each of %s, %d tokens per iteration", s.Model.Kind,
		readable.Short(parameters, 4), scale, readable.Count(int(t.micro), "micro-batch"), readable.Count(int(s.Batch.Micro), "sequence"),
		readable.Count(int(s.Parallel.Data), "replica"), product(s.Batch.global(&s.Parallel), m.Sequence))
}

// Name is what a file can name under a key.
type Name struct{ Key, Name, Text string }

// Known lists what files can name.
func Known() (list []Name) {
	for _, one := range []struct {
		key  string
		from catalog.Roster
	}{{"model", models()}, {"accelerator", accelerators()}, {"schedule", schedules()}, {"kernel", kernels()}} {
		for _, name := range one.from.Names() {
			info, _ := one.from.Find(name)
			text := info.Summary
			if info.Source != "" {
				text += " (" + info.Source + ")"
			}
			list = append(list, Name{one.key, name, text})
		}
	}
	return list
}
