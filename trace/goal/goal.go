// Package goal reads and writes traces in GOAL, the language of LogGOPSim and ATLAHS, as text and in
// the binary form that these tools make of it.
//
// The text has a block per rank, with one statement on a line:
//
//	num_ranks 2
//
//	rank 0 {
//	l1: calc 1500 cpu 0
//	l2: send 1048576b to 1 tag 7 cpu 0 nic 0
//	l2 requires l1
//	}
//
//	rank 1 {
//	l1: recv 1048576b from 0 tag 7
//	}
//
// A receive may be from -1, any source, and have tag -1, any tag. "a irequires b" makes a wait for the
// start of b. Computations are in nanoseconds. Comments are as in C++.
//
// Numbers that do not fit are refused. The tools of LogGOPSim take tags modulo 2^32, and processors and
// NICs modulo 256.
package goal

import (
	"encoding/binary"
	"fmt"
	"io"
	"slices"

	"weft/internal/readable"
	"weft/internal/userfile"
	"weft/trace"
	"weft/unit"
)

// visit is called for each rank in order.
type visit = func(rank int, s *trace.Schedule) error

// largest is how large a file is at most.
const largest = 1 << 42 * unit.Byte

// Scan reads a file of either form rank by rank, so that only one is held at a time. The schedules are
// the visitor's to keep. It returns notices that
// say where the schedules differ from the file.
func Scan(path string, visit func(rank int, s *trace.Schedule) error) (notices []string, err error) {
	f, err := userfile.Open(path, largest)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	var head [8]byte
	if _, err := f.ReadAt(head[:], 0); err != nil && err != io.EOF {
		return nil, err
	}
	if IsBinary(head[:]) {
		return scanBinary(f, info.Size(), path, visit)
	}
	return scanText(f, path, visit)
}

// IsBinary tells whether a file that begins with head has the binary form.
func IsBinary(head []byte) bool {
	if len(head) < afterMagic {
		return false
	}
	c := binary.LittleEndian.Uint64(head)
	return c == cookie || c == spent
}

// ReadText reads GOAL text. Errors begin with name and line.
func ReadText(r io.Reader, name string) (*trace.Trace, error) {
	return collect(func(v visit) ([]string, error) { return scanText(r, name, v) })
}

// readBinary reads GOAL in its binary form. Errors begin with name and offset.
func readBinary(r io.ReaderAt, size int64, name string) (*trace.Trace, error) {
	return collect(func(v visit) ([]string, error) { return scanBinary(r, size, name, v) })
}

func collect(scan func(visit) ([]string, error)) (*trace.Trace, error) {
	t := &trace.Trace{}
	notices, err := scan(func(_ int, s *trace.Schedule) error {
		t.Ranks = append(t.Ranks, *s)
		return nil
	})
	if err != nil {
		return nil, err
	}
	t.Notices = notices
	return t, nil
}

// endMarkers are ranks to which some generators send 0 bytes to mark an end.
var endMarkers = [...]int32{9999999, 999999999}

// markers counts such sends, which become computations of no time.
type markers int

func (m *markers) take(o *trace.Operation, ranks int) {
	if o.Kind != trace.Send || o.Size != 0 || int(o.Peer) < ranks || !slices.Contains(endMarkers[:], o.Peer) {
		return
	}
	*o = trace.Operation{Kind: trace.Calc, CPU: o.CPU}
	*m++
}

func (m markers) notices() []string {
	if m == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s of 0 bytes to rank %d or %d taken as marks of an end, which need no message: they are computations of no time", readable.Count(int(m), "send"), endMarkers[0], endMarkers[1])}
}
