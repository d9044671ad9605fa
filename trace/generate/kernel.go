package generate

import (
	"math/bits"
	"math/rand/v2"
	"slices"

	"weft/catalog"
	"weft/problem"
	"weft/trace"
	"weft/trace/collective"
	"weft/unit"
)

// kernel is the communication of an MPI program.
type kernel interface {
	ranks() int
	// iterate writes an iteration of a rank. The members are its groups, which members made.
	iterate(rank int, iteration int64, w *writer, of *members)
	// members returns the groups of a rank that collectives go over.
	members(rank int) *members
	// busiest is a rank with the most operations.
	busiest() int
	// piece returns a kernel with as many operations as a part of an iteration, and how many parts there are.
	piece() (kernel, int64)
}

// members are the groups of a rank.
type members struct{ row, column group }

// repeated is a kernel with its iterations.
type repeated struct {
	kernel
	iterations int64
}

func (r repeated) write(rank int, w *writer) {
	of := r.members(rank)
	for i := int64(0); i < r.iterations && w.err == nil; i++ {
		r.iterate(rank, i, w, of)
	}
}

// kernels are the kernels that a file can name.
func kernels() *catalog.Set[kernel] {
	s := &catalog.Set[kernel]{}
	err := s.Add(
		catalog.Define("stencil-2d", "Cells of a plane; each rank exchanges the rim of its part with four neighbours", "",
			func(o stencil) (kernel, error) { return o.checked(2) }),
		catalog.Define("stencil-3d", "Cells of a block; each rank exchanges the faces of its part with six neighbours", "",
			func(o stencil) (kernel, error) { return o.checked(3) }),
		catalog.Define("fft", "Fourier transform in three dimensions, cut into pencils, with an all-to-all in rows and one in columns", "",
			func(o fft) (kernel, error) { return o.checked() }),
		catalog.Define("sweep", "Wavefronts from the corners of a plane of ranks, as in Sweep3D", "Koch, Baker, Alcouffe 1992",
			func(o sweep) (kernel, error) { return o.checked() }),
		catalog.Define("random", "Messages to a few ranks drawn at random, as with a sparse matrix", "",
			func(o random) (kernel, error) { return o.checked() }),
	)
	if err != nil {
		panic(err) // a test adds them
	}
	return s
}

// mostCells is how many cells a dimension has at most.
const mostCells = 1_000_000_000

// sizes checks a list of numbers, one per dimension.
func sizes(key string, list []int64, dimensions int) error {
	if len(list) != dimensions {
		return problem.At(key, "%s has %d numbers", key, len(list)).Mend("give %d, one per dimension", dimensions)
	}
	for _, n := range list {
		if n < 1 || n > mostCells {
			return problem.At(key, "%d is out of bounds", n).Mend("choose from 1 to %d", mostCells)
		}
	}
	return nil
}

// gridSize checks the grid of ranks.
func gridSize(list []int64, dimensions int) error {
	if err := sizes("grid", list, dimensions); err != nil {
		return err
	}
	if n := product(list...); n > mostRanks {
		return problem.At("grid", "the grid has %d ranks", n).Mend("choose at most %d", mostRanks)
	}
	return nil
}

// message refuses messages of a kernel that are too large to count.
func message(key string, size int64) error {
	if size >= tooMuch/mostRanks {
		return problem.At(key, "the messages are too large to count").Mend("choose smaller numbers")
	}
	return nil
}

// exchanged notes that the operations from first on are one exchange of all ranks.
func (w *writer) exchanged(first uint32, name string, iteration int64, ranks int, size int64) {
	w.span(first, haloClass, 0, int(iteration), trace.Call{Name: name, Group: haloClass.of(0), Ranks: ranks, Size: size})
	w.limit()
}

// to adds a message of a kernel, and from a receive. They begin when others have ended.
func (w *writer) to(peer int32, size, tag int64, after []uint32) uint32 {
	return w.add(trace.Operation{Kind: trace.Send, Size: size, Peer: peer, Tag: haloClass.tag(tag)}, after)
}

func (w *writer) from(peer int32, size, tag int64, after []uint32) uint32 {
	return w.add(trace.Operation{Kind: trace.Recv, Size: size, Peer: peer, Tag: haloClass.tag(tag)}, after)
}

// random is a kernel whose ranks send to neighbours drawn at random.
type random struct {
	Ranks      int64      `yaml:"ranks" min:"2" max:"4194304" doc:"Ranks."`
	Neighbours int64      `yaml:"neighbours" default:"6" min:"1" max:"256" doc:"Ranks that each rank sends to."`
	Size       unit.Bytes `yaml:"size" default:"64KiB" min:"1B" max:"1TB" doc:"Size of each message."`
	Compute    unit.Time  `yaml:"compute" default:"1ms" min:"0s" max:"1000s" doc:"Time that each rank computes per iteration."`
	Seed       uint64     `yaml:"seed" default:"1" doc:"Choice of the neighbours."`

	// to are the neighbours of each rank, and from the ranks that have it as one.
	to, from [][]int32
}

// mostDrawn is how many neighbours are drawn at most.
const mostDrawn = 1 << 22

func (o random) checked() (kernel, error) {
	if o.Neighbours >= o.Ranks {
		return nil, problem.At("neighbours", "%d ranks have at most %d neighbours each", o.Ranks, o.Ranks-1).Mend("choose at most that")
	}
	if o.Ranks*o.Neighbours > mostDrawn {
		return nil, problem.At("ranks", "ranks and neighbours make more than %d messages", mostDrawn).Mend("choose fewer")
	}
	o.to, o.from = make([][]int32, o.Ranks), make([][]int32, o.Ranks)
	for r := range o.Ranks {
		draw := rand.NewPCG(o.Seed, uint64(r))
		for int64(len(o.to[r])) < o.Neighbours {
			high, _ := bits.Mul64(draw.Uint64(), uint64(o.Ranks-1))
			peer := int32(high)
			if int64(peer) >= r {
				peer++
			}
			if !slices.Contains(o.to[r], peer) {
				o.to[r] = append(o.to[r], peer)
				o.from[peer] = append(o.from[peer], int32(r))
			}
		}
	}
	return o, nil
}

func (o random) ranks() int             { return int(o.Ranks) }
func (o random) members(int) *members   { return nil }
func (o random) piece() (kernel, int64) { return o, 1 }

// busiest is the rank that the most others send to.
func (o random) busiest() (rank int) {
	for r, from := range o.from {
		if len(from) > len(o.from[rank]) {
			rank = r
		}
	}
	return rank
}

func (o random) iterate(rank int, iteration int64, w *writer, _ *members) {
	first, before := uint32(w.b.Len()), w.last
	var all []uint32
	for _, r := range o.to[rank] {
		all = append(all, w.to(r, int64(o.Size), iteration, before))
	}
	for _, r := range o.from[rank] {
		all = append(all, w.from(r, int64(o.Size), iteration, before))
	}
	w.exchanged(first, "neighbours", iteration, o.ranks(), product(int64(o.Size), o.Neighbours))
	w.last = w.compute(nanoseconds(o.Compute), all)
}

// fft is a Fourier transform in three dimensions.
type fft struct {
	Grid      []int64    `yaml:"grid" doc:"Rows and columns of ranks."`
	Transform []int64    `yaml:"transform" default:"[1024, 1024, 1024]" doc:"Elements in each of the three dimensions."`
	Element   unit.Bytes `yaml:"element" default:"16B" min:"1B" max:"1KB" doc:"Size of an element."`
	Compute   unit.Time  `yaml:"compute" default:"1ms" min:"0s" max:"1000s" doc:"Time of the transforms of a rank along one dimension, of three per iteration."`

	size int64 // of a rank's part
}

func (o fft) checked() (kernel, error) {
	if err := gridSize(o.Grid, 2); err != nil {
		return nil, err
	}
	if err := sizes("transform", o.Transform, 3); err != nil {
		return nil, err
	}
	o.size = parts(product(append([]int64{int64(o.Element)}, o.Transform...)...), product(o.Grid...))
	return o, message("transform", o.size)
}

func (o fft) ranks() int             { return int(o.Grid[0] * o.Grid[1]) }
func (o fft) busiest() int           { return 0 }
func (o fft) piece() (kernel, int64) { return o, 1 }

func (o fft) members(rank int) *members {
	rows, columns := int(o.Grid[0]), int(o.Grid[1])
	m := &members{group{class: rowClass, number: rank / columns, place: rank % columns}, group{class: columnClass, number: rank % columns, place: rank / columns}}
	for c := range columns {
		m.row.ranks = append(m.row.ranks, int32(rank/columns*columns+c))
	}
	for r := range rows {
		m.column.ranks = append(m.column.ranks, int32(r*columns+rank%columns))
	}
	return m
}

func (o fft) iterate(_ int, _ int64, w *writer, of *members) {
	data := w.compute(nanoseconds(o.Compute), nil)
	for _, g := range []*group{&of.row, &of.column} {
		w.last = join(w.call(collective.AllToAll, g, computeStream, o.size, data), w.last)
		data = w.compute(nanoseconds(o.Compute), w.last)
	}
}
