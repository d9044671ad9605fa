package workers

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"slices"

	"weft/record"
)

// A frame is a length in four bytes (of the rest), a kind in one byte, and a body.
type kind byte

const (
	kindReady    kind = 'R' // child: it is ready for tasks
	kindTask     kind = 'T' // parent: a study.Task as JSON
	kindProgress kind = 'P' // child: the bits of a float64
	kindEnded    kind = 'E' // child: see Result
)

// maxFrame exceeds any result. A longer frame means that the two sides are out of step.
const maxFrame = record.MostPacked + 1<<20

func writeFrame(w *bufio.Writer, k kind, parts ...[]byte) error {
	n := 1
	for _, p := range parts {
		n += len(p)
	}
	if n > maxFrame {
		return fmt.Errorf("%d MB are more than fits between two processes", n>>20)
	}
	var head [5]byte
	binary.LittleEndian.PutUint32(head[:], uint32(n))
	head[4] = byte(k)
	_, _ = w.Write(head[:]) // a bufio.Writer returns its error from Flush
	for _, p := range parts {
		_, _ = w.Write(p)
	}
	return w.Flush()
}

func readFrame(r *bufio.Reader) (kind, []byte, error) {
	var head [5]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, nil, err
	}
	n := binary.LittleEndian.Uint32(head[:])
	if n < 1 || n > maxFrame {
		return 0, nil, fmt.Errorf("a frame of %d bytes is none", n)
	}
	// Do not trust the length until the bytes arrive.
	body, err := readBody(r, int(n-1))
	return kind(head[4]), body, err
}

func readBody(r io.Reader, n int) ([]byte, error) {
	const step = 1 << 20
	body := make([]byte, 0, min(n, step))
	for len(body) < n {
		part := min(n-len(body), max(step, len(body)))
		if len(body) >= n/4 { // enough has arrived; growing by copies would take twice the memory
			part = n - len(body)
			body = slices.Grow(body, part)
		}
		old := len(body)
		body = append(body, make([]byte, part)...)
		if _, err := io.ReadFull(r, body[old:]); err != nil {
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return nil, err
		}
	}
	return body, nil
}
