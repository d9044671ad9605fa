package generate

import (
	"weft/problem"
	"weft/unit"
)

// stencil is a grid of cells, of which each rank has a part.
type stencil struct {
	Grid     []int64    `yaml:"grid" doc:"Ranks in each dimension; the last one is numbered first."`
	Local    []int64    `yaml:"local" doc:"Cells of a rank in each dimension."`
	Cell     unit.Bytes `yaml:"cell" default:"8B" min:"1B" max:"1MB" doc:"Size of a cell."`
	Halo     int64      `yaml:"halo" default:"1" min:"1" max:"1000" doc:"Layers of cells that neighbours need."`
	Periodic bool       `yaml:"periodic" default:"false" doc:"Whether ranks at opposite ends are neighbours."`
	Compute  unit.Time  `yaml:"compute" default:"1ms" min:"0s" max:"1000s" doc:"Time that each rank computes per iteration."`
	Interior unit.Ratio `yaml:"interior" default:"0%" min:"0%" max:"100%" doc:"Share of that time for cells that need no neighbours, which begins before messages arrive."`

	faces  []int64 // bytes by dimension
	stride []int64 // of ranks
}

func (o stencil) checked(dimensions int) (kernel, error) {
	if err := gridSize(o.Grid, dimensions); err != nil {
		return nil, err
	}
	if err := sizes("local", o.Local, dimensions); err != nil {
		return nil, err
	}
	o.faces, o.stride = make([]int64, dimensions), make([]int64, dimensions)
	stride := int64(1)
	for d := dimensions - 1; d >= 0; d-- {
		if o.Halo > o.Local[d] {
			return nil, problem.At("halo", "a halo of %d is more than the %d cells of a rank", o.Halo, o.Local[d]).Mend("choose at most %d", o.Local[d])
		}
		o.stride[d] = stride
		stride *= o.Grid[d]
		o.faces[d] = product(int64(o.Cell), o.Halo)
		for other, cells := range o.Local {
			if other != d {
				o.faces[d] = product(o.faces[d], cells)
			}
		}
		if err := message("local", o.faces[d]); err != nil {
			return nil, err
		}
	}
	return o, nil
}

func (o stencil) ranks() int             { return int(product(o.Grid...)) }
func (o stencil) members(int) *members   { return nil }
func (o stencil) busiest() int           { return centre(o.Grid) }
func (o stencil) piece() (kernel, int64) { return o, 1 }

// centre returns the rank in the middle of a grid, which has as many neighbours as any.
func centre(grid []int64) int {
	rank := int64(0)
	for _, n := range grid {
		rank = rank*n + n/2
	}
	return int(rank)
}

// neighbour returns the rank next to another one in a dimension, if there is one.
func (o stencil) neighbour(rank int64, d int, side int64) (int32, bool) {
	size, stride := o.Grid[d], o.stride[d]
	at := rank / stride % size
	next := at + side
	if next < 0 || next >= size {
		if !o.Periodic || size == 1 {
			return 0, false
		}
		next = (next + size) % size
	}
	return int32(rank + (next-at)*stride), true
}

func (o stencil) iterate(rank int, iteration int64, w *writer, _ *members) {
	first, before := uint32(w.b.Len()), w.last
	var all []uint32
	sides := [2]int64{-1, 1}
	for receiving := range 2 {
		for d := range o.Grid {
			for i, side := range sides {
				peer, ok := o.neighbour(int64(rank), d, side)
				if !ok {
					continue
				}
				// The tag is of the direction in which the message goes.
				way := int64(2*d + i)
				if receiving == 1 {
					way = int64(2*d + 1 - i)
				}
				tag := iteration*int64(2*len(o.Grid)) + way
				if receiving == 1 {
					all = append(all, w.from(peer, o.faces[d], tag, before))
				} else {
					all = append(all, w.to(peer, o.faces[d], tag, before))
				}
			}
		}
	}
	size := int64(0)
	for _, f := range o.faces {
		size = total(size, f, f)
	}
	w.exchanged(first, "halo", iteration, o.ranks(), size)
	whole := nanoseconds(o.Compute)
	interior := int64(float64(o.Interior) * float64(whole))
	w.compute(interior, before)
	w.last = join(w.compute(whole-interior, all), w.last)
}

// sweep is a solver whose cells wait for those before them along a direction, from each corner in turn.
type sweep struct {
	Grid    []int64    `yaml:"grid" doc:"Ranks in each of two dimensions; the last one is numbered first."`
	Local   []int64    `yaml:"local" default:"[50, 50, 100]" doc:"Cells of a rank in three dimensions."`
	Block   int64      `yaml:"block" default:"10" min:"1" max:"1000000" doc:"Planes of the third dimension that are swept at once."`
	Angles  int64      `yaml:"angles" default:"6" min:"1" max:"10000" doc:"Angles per octant."`
	Number  unit.Bytes `yaml:"number" default:"8B" min:"1B" max:"1KB" doc:"Size of a value per cell and angle."`
	Compute unit.Time  `yaml:"compute" default:"1ms" min:"0s" max:"1000s" doc:"Time of a block at a rank."`
	Octants int64      `yaml:"octants" default:"8" min:"1" max:"8" doc:"Directions that are swept, two from each corner."`

	blocks int64
	faces  [2]int64
}

func (o sweep) checked() (kernel, error) {
	if err := gridSize(o.Grid, 2); err != nil {
		return nil, err
	}
	if err := sizes("local", o.Local, 3); err != nil {
		return nil, err
	}
	if o.Local[2]%o.Block != 0 {
		return nil, problem.At("block", "%d planes do not divide %d", o.Block, o.Local[2]).Mend("choose as in %d", divisor(o.Local[2], o.Block))
	}
	o.blocks = o.Local[2] / o.Block
	for d := range o.faces {
		o.faces[d] = product(o.Local[1-d], o.Block, o.Angles, int64(o.Number))
		if err := message("local", o.faces[d]); err != nil {
			return nil, err
		}
	}
	return o, nil
}

func (o sweep) ranks() int           { return int(o.Grid[0] * o.Grid[1]) }
func (o sweep) members(int) *members { return nil }
func (o sweep) busiest() int         { return centre(o.Grid) }

// piece has one block of each direction.
func (o sweep) piece() (kernel, int64) {
	blocks := o.blocks
	o.blocks = 1
	return o, blocks
}

// iterate sweeps each direction block by block. A block begins when those before it in both dimensions have
// arrived, and its messages have gone before the next one begins.
func (o sweep) iterate(rank int, iteration int64, w *writer, _ *members) {
	at := [2]int64{int64(rank) / o.Grid[1], int64(rank) % o.Grid[1]}
	stride := [2]int64{o.Grid[1], 1}
	first := uint32(w.b.Len())
	for octant := range o.Octants {
		// Each corner has two directions, which differ in the third dimension.
		sides := [2]int64{1 - octant/4*2, 1 - octant/2%2*2}
		for block := range o.blocks {
			tag := ((iteration*o.Octants+octant)*o.blocks + block) * 2
			before := w.last
			var came, gone []uint32
			for d, side := range sides {
				if from := at[d] - side; from >= 0 && from < o.Grid[d] {
					came = append(came, w.from(int32(int64(rank)-side*stride[d]), o.faces[d], tag+int64(d), before))
				}
			}
			data := w.compute(nanoseconds(o.Compute), join(came, before))
			for d, side := range sides {
				if to := at[d] + side; to >= 0 && to < o.Grid[d] {
					gone = append(gone, w.to(int32(int64(rank)+side*stride[d]), o.faces[d], tag+int64(d), data))
				}
			}
			w.last = join(gone, data)
		}
	}
	w.exchanged(first, "sweep", iteration, o.ranks(), product(total(o.faces[:]...), o.blocks, o.Octants))
}
