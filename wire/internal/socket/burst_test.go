package socket

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"testing"
	"time"
)

// segmentsOf makes datagrams of given sizes that stand one after another in memory, each filled with its number.
func segmentsOf(sizes ...int) (list [][]byte) {
	all := []byte{}
	for _, n := range sizes {
		all = append(all, make([]byte, n)...)
	}
	for i, n := range sizes {
		list = append(list, all[:n])
		copy(all, bytes.Repeat([]byte{byte(i + 1)}, n))
		all = all[n:]
	}
	return list
}

func repeated(size, n int) (sizes []int) {
	for range n {
		sizes = append(sizes, size)
	}
	return sizes
}

// receiveAll returns copies of the next n datagrams, and how many places of batches they took.
func receiveAll(t testing.TB, b *Bank, n int) (list [][]byte, places int) {
	t.Helper()
	guard := time.AfterFunc(10*time.Second, func() { b.Close() })
	defer guard.Stop()
	batch := newBatch(1 << 16)
	for len(list) < n {
		got, err := b.Receive(batch)
		if err != nil {
			t.Fatalf("received %d of %d, then %v", len(list), n, err)
		}
		for _, d := range batch[:got] {
			for one := range d.Each {
				list = append(list, bytes.Clone(one))
			}
		}
		places += got
	}
	return list, places
}

// bursty skips a test where the kernel has no segmentation offload.
func bursty(t testing.TB, b *Bank) {
	if off := b.Offload().SendOff; off != "" {
		t.Skip(off)
	}
}

// TestBurstsArriveAsTheirDatagrams sends bursts of all shapes, to who receives them whole and to who does not.
func TestBurstsArriveAsTheirDatagrams(t *testing.T) {
	shapes := [][]int{
		{1}, {1, 1}, {100, 40}, {1000, 1000, 1000}, {1452, 1452, 1}, repeated(1000, MostSegments), append(repeated(1015, MostSegments-1), 7),
		repeated(9000, 7), {MostBurst},
	}
	for _, addr := range loopbacks() {
		for _, whole := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/whole %v", addr, whole), func(t *testing.T) {
				a, b := listen(t, addr, Options{Ports: 4, ECN: true}), listen(t, addr, Options{Ports: 1, Merge: whole})
				bursty(t, a)
				datagrams := uint64(0)
				for i, shape := range shapes {
					sent := segmentsOf(shape...)
					if i%2 == 1 { // apart in memory
						for i := range sent {
							sent[i] = bytes.Clone(sent[i])
						}
					}
					if err := a.SendBurst(i%4, reach(b), sent); err != nil {
						t.Fatalf("%v: %v", shape, err)
					}
					datagrams += uint64(len(shape))
					got, places := receiveAll(t, b, len(shape))
					for i := range shape {
						if !bytes.Equal(got[i], sent[i]) {
							t.Fatalf("%v: datagram %d has %d B, begins with %v", shape, i, len(got[i]), got[i][:1])
						}
					}
					if b.Offload().ReceiveOff == "" && places != 1 {
						t.Errorf("%v came in %d places", shape, places)
					}
				}
				s, r := a.Counters(), b.Counters()
				if s.Sent != datagrams || s.Segments != datagrams || s.Bursts != uint64(len(shapes)) || s.Errors != 0 {
					t.Errorf("the sender counted %+v", s)
				}
				if r.Received != datagrams || r.ECN != datagrams {
					t.Errorf("the receiver counted %+v of %d", r, datagrams)
				}
				if b.Offload().ReceiveOff == "" && r.MergedSegments < datagrams-2 {
					t.Errorf("of %d datagrams %d came together", datagrams, r.MergedSegments)
				}
			})
		}
	}
}

func TestBurstsAreRefusedWhereThereAreNone(t *testing.T) {
	for _, way := range []string{"WEFT_WIRE_NO_GSO", "WEFT_WIRE_PLAIN"} {
		t.Run(way, func(t *testing.T) {
			t.Setenv(way, "1")
			b := listen(t, "127.0.0.1:0", Options{Ports: 1})
			if b.Offload().SendOff == "" {
				t.Error("the bank does not say so")
			}
			var refused *RefusedError
			if err := b.SendBurst(0, reach(b), segmentsOf(10, 10)); !errors.As(err, &refused) {
				t.Errorf("sent with %v", err)
			}
			if c := b.Counters(); c.Sent != 0 || c.Bursts != 0 {
				t.Errorf("counted %+v", c)
			}
		})
	}
	for _, way := range []string{"WEFT_WIRE_NO_GRO", "WEFT_WIRE_PLAIN"} {
		t.Run(way, func(t *testing.T) {
			a := listen(t, "127.0.0.1:0", Options{Ports: 1})
			bursty(t, a)
			t.Setenv(way, "1")
			b := listen(t, "127.0.0.1:0", Options{Ports: 1, Merge: true})
			if b.Offload().ReceiveOff == "" {
				t.Error("the bank does not say so")
			}
			sent := segmentsOf(100, 100, 50)
			if err := a.SendBurst(0, reach(b), sent); err != nil {
				t.Fatal(err)
			}
			got, places := receiveAll(t, b, 3)
			if places != 3 || !bytes.Equal(bytes.Join(got, nil), bytes.Join(sent, nil)) {
				t.Errorf("%d datagrams came in %d places", len(got), places)
			}
		})
	}
}

func TestWhatTheKernelDoesNotTakeIsRefused(t *testing.T) {
	a, b := listen(t, "127.0.0.1:0", Options{Ports: 1}), listen(t, "127.0.0.1:0", Options{Ports: 1})
	bursty(t, a)
	var refused *RefusedError
	nobody := netip.AddrPortFrom(reach(b).Addr(), 0)
	if err := a.SendBurst(0, nobody, segmentsOf(10, 10)); !errors.As(err, &refused) || refused.To != nobody {
		t.Errorf("sent with %v", err)
	}
	if err := a.SendBurst(0, reach(b), segmentsOf(10, 10)); err != nil {
		t.Errorf("the next one: %v", err)
	}
	a.Close()
	if err := a.SendBurst(0, reach(b), segmentsOf(10, 10)); !errors.Is(err, net.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}

func TestWrongBurstsAreErrors(t *testing.T) {
	b := listen(t, "127.0.0.1:0", Options{Ports: 1})
	for _, list := range [][][]byte{
		nil, segmentsOf(0), segmentsOf(10, 0), segmentsOf(10, 11), segmentsOf(10, 9, 10), segmentsOf(repeated(1, MostSegments+1)...), segmentsOf(repeated(20_000, 4)...),
	} {
		var refused *RefusedError
		if err := b.SendBurst(0, reach(b), list); err == nil || errors.As(err, &refused) {
			t.Errorf("%d datagrams: %v", len(list), err)
		}
	}
	if b.SendBurst(1, reach(b), segmentsOf(1)) == nil || b.SendBurst(0, netip.AddrPort{}, segmentsOf(1)) == nil {
		t.Error("a wrong port or no address was taken")
	}
}

func TestEachDividesWhatCameTogether(t *testing.T) {
	for _, c := range []struct {
		size, segment int
		want          []int
	}{{0, 0, []int{0}}, {10, 0, []int{10}}, {10, 20, []int{10}}, {10, 10, []int{10}}, {10, 5, []int{5, 5}}, {11, 5, []int{5, 5, 1}}} {
		d := Datagram{Data: make([]byte, c.size), Segment: c.segment}
		var got []int
		for one := range d.Each {
			got = append(got, len(one))
		}
		if fmt.Sprint(got) != fmt.Sprint(c.want) || d.datagrams() != len(got) {
			t.Errorf("%d B by %d: %v, counted as %d", c.size, c.segment, got, d.datagrams())
		}
		for range d.Each {
			break // which must end it
		}
	}
}
