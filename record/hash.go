package record

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"strings"
)

// ResultHash returns the SHA-256, in hexadecimal, of what happened to every message, at every
// port and to every paused class. Rows are hashed in order of ID and of port name. Only integers
// are hashed, each in a fixed binary form. So the hash does not depend on the order of rows, on
// threads or on floating point. Pass all measured flows, before any sampling, so that it does not
// depend on what is recorded either.
func ResultHash(flows []Flow, ports []Port, pauses []Pause) string {
	h := NewHash(len(flows))
	for _, f := range sorted(flows, func(a, b *Flow) int { return cmp.Compare(a.ID, b.ID) }) {
		h.Add(f)
	}
	return h.Result(ports, pauses)
}

// Hash computes a ResultHash from flows that are added one by one.
type Hash struct{ digest }

// NewHash begins the hash of a run with the given number of measured flows.
func NewHash(flows int) *Hash {
	h := &Hash{digest{sum: sha256.New()}}
	h.text("weft result 1")
	h.integers(int64(flows))
	return h
}

// Add adds the next flow, in order of ID.
func (h *Hash) Add(f *Flow) {
	h.text(f.Group)
	h.text(f.Src)
	h.text(f.Dst)
	h.integers(int64(f.ID), int64(f.Bytes), int64(f.Start), int64(f.End), int64(f.SenderEnd),
		f.Packets, f.Retransmits, f.Timeouts)
}

// Result returns the hash after all flows have been added.
func (h *Hash) Result(ports []Port, pauses []Pause) string {
	h.integers(int64(len(ports)))
	for _, p := range sorted(ports, func(a, b *Port) int { return cmp.Compare(a.Name, b.Name) }) {
		h.text(p.Name)
		h.integers(p.Frames, p.Bytes, p.SentFrames, p.SentBytes,
			p.QueueFull, p.HeaderQueueFull, p.LinkDown, p.Loss, p.NoRoute,
			p.DroppedBytes, p.FlushedFrames, p.FlushedBytes,
			p.Marks, p.Trims, p.TrimmedBytes, int64(p.QueueMax))
		h.drops(&p.Drops)
	}
	h.pauses(pauses)
	return hex.EncodeToString(h.sum.Sum(nil))
}

// digest feeds values into a hash so that different sequences of values give different bytes.
type digest struct {
	sum   hash.Hash
	bytes []byte
}

func (w *digest) integers(values ...int64) {
	w.bytes = w.bytes[:0]
	for _, v := range values {
		w.bytes = binary.LittleEndian.AppendUint64(w.bytes, uint64(v))
	}
	w.sum.Write(w.bytes)
}

func (w *digest) text(s string) {
	w.bytes = binary.LittleEndian.AppendUint64(w.bytes[:0], uint64(len(s)))
	w.bytes = append(w.bytes, s...)
	w.sum.Write(w.bytes)
}

// pauses adds pauses to the hash. Without any it adds nothing, so that runs without pauses keep
// their hash.
func (h *Hash) pauses(rows []Pause) {
	if len(rows) == 0 {
		return
	}
	h.text("pauses")
	h.integers(int64(len(rows)))
	for _, p := range sorted(rows, comparePauses) {
		h.text(p.Port)
		h.integers(int64(p.Class), p.Pauses, int64(p.Time), p.Sent, p.Resumes, int64(p.HeldMax))
	}
}

// drops adds the drops for later reasons to the hash. Without any it adds nothing, so that ports
// without such drops keep their hash.
func (h *Hash) drops(d *Drops) {
	for i := range reasons {
		if r := &reasons[i]; r.later && *r.count(d) > 0 {
			h.text(strings.ReplaceAll(r.key, "_", " "))
			h.integers(*r.count(d))
		}
	}
}
