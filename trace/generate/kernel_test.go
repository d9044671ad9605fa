package generate

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"weft/trace"
	"weft/trace/loggops"
)

// TestKernels: whatever the size, all messages match, all operations end, and calls are whole.
func TestKernels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		one := func(name string) int64 { return rapid.Int64Range(1, 4).Draw(t, name) }
		a, b, c := one("x"), one("y"), one("z")
		periodic := rapid.Bool().Draw(t, "periodic")
		text := rapid.SampledFrom([]string{
			fmt.Sprintf("{kind: stencil-2d, grid: [%d, %d], local: [5, 6], periodic: %v, interior: 50%%}", a, b, periodic),
			fmt.Sprintf("{kind: stencil-3d, grid: [%d, %d, %d], local: [5, 6, 7], periodic: %v, compute: 0s}", a, b, c, periodic),
			fmt.Sprintf("{kind: fft, grid: [%d, %d], transform: [8, 8, 9]}", a, b),
			fmt.Sprintf("{kind: sweep, grid: [%d, %d], local: [5, 6, 12], block: %d}", a, b, c),
			fmt.Sprintf("{kind: random, ranks: %d, neighbours: %d, seed: %d}", 2+a, min(b, 1+a), c),
		}).Draw(t, "kernel")
		s, err := Parse("test.yaml", []byte(fmt.Sprintf("kernel: %s\niterations: %d", text, c)))
		if err != nil {
			t.Fatal(err)
		}
		tr, err := s.Generate()
		if err != nil {
			t.Fatal(err)
		}
		sound(t, tr)
		most := 0
		for r := range tr.Ranks {
			most = max(most, tr.Ranks[r].Len())
		}
		k := s.source.(repeated)
		piece, times := k.piece()
		w := s.counter()
		if got := w.taken(func() { piece.iterate(k.busiest(), 0, w, k.members(k.busiest())) }) * times * k.iterations; got != int64(most) {
			t.Fatalf("%s: %d operations are counted, and %d at most are made", text, got, most)
		}
	})
}

// TestStencil: a rank inside sends its faces to six neighbours, one at a corner to three.
func TestStencil(t *testing.T) {
	tr := generated(t, "kernel: {kind: stencil-3d, grid: [3, 3, 3], local: [10, 20, 30], cell: 4B, halo: 2, compute: 5us, interior: 60%}; iterations: 2")
	faces := int64(2 * 4 * (20*30 + 10*30 + 10*20))
	for rank, want := range map[int]int64{0: faces, 13: 2 * faces, 26: faces} {
		if got := sent(&tr.Ranks[rank], 0); got != 2*want {
			t.Errorf("rank %d sends %d bytes, not %d", rank, got, 2*want)
		}
	}
	if got := replayed(t, tr, loggops.Parameters{}); got != 10000 {
		t.Errorf("ends at %d ns", got)
	}
}

// TestTranspose: a Fourier transform exchanges all but a rank's own part in rows and columns.
func TestTranspose(t *testing.T) {
	tr := generated(t, "kernel: {kind: fft, grid: [2, 4], transform: [64, 64, 64]}")
	part := int64(64 * 64 * 64 * 16 / 8)
	for r := range tr.Ranks {
		if got, want := sent(&tr.Ranks[r], 0), part*3/4+part/2; got != want {
			t.Errorf("rank %d sends %d bytes, not %d", r, got, want)
		}
	}
}

// TestWavefront: a sweep from one corner passes the grid once, and the blocks follow each other (Hoisie,
// Lubeck, Wasserman, IJHPCA 2000).
func TestWavefront(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, y := rapid.Int64Range(1, 5).Draw(t, "x"), rapid.Int64Range(1, 5).Draw(t, "y")
		blocks := rapid.Int64Range(1, 6).Draw(t, "blocks")
		// Two octants begin at the same corner, so that they follow each other like blocks.
		for octants := range int64(2) {
			octants++
			s, err := Parse("test.yaml", []byte(fmt.Sprintf("kernel: {kind: sweep, grid: [%d, %d], local: [4, 4, %d], block: 1, octants: %d, compute: 10ns}", x, y, blocks, octants)))
			if err != nil {
				t.Fatal(err)
			}
			tr, err := s.Generate()
			if err != nil {
				t.Fatal(err)
			}
			if got, want := replayed(t, tr, loggops.Parameters{}), 10*(blocks*octants+x+y-2); got != want {
				t.Fatalf("ends at %d ns, not %d", got, want)
			}
		}
	})
}

// TestNeighbours: each rank sends to as many others as the file says, to none twice and not to itself.
func TestNeighbours(t *testing.T) {
	tr := generated(t, "kernel: {kind: random, ranks: 20, neighbours: 5}")
	incoming := map[int]bool{}
	for r := range tr.Ranks {
		s := &tr.Ranks[r]
		to, from := map[int32]bool{}, 0
		for i := range uint32(s.Len()) {
			switch o := s.At(i); {
			case o.Kind == trace.Send && (o.Peer == int32(r) || to[o.Peer]):
				t.Errorf("rank %d: %v", r, o)
			case o.Kind == trace.Send:
				to[o.Peer] = true
			case o.Kind == trace.Recv:
				from++
			}
		}
		if len(to) != 5 {
			t.Errorf("rank %d has %d neighbours", r, len(to))
		}
		incoming[from] = true
	}
	if len(incoming) == 1 {
		t.Error("every rank is the neighbour of as many others")
	}
}
