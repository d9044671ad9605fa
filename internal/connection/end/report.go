package end

import (
	"weft/internal/packet"
	"weft/protocol/reliable"
)

// Both types have room for the same number of entropies.
const (
	_ = uint(packet.MostEntropies - reliable.MaxEntropies)
	_ = uint(reliable.MaxEntropies - packet.MostEntropies)
)

// WriteReport copies a report into a packet's.
func WriteReport(r *reliable.Report, to *packet.Report) {
	to.Expected, to.Base, to.Bitmap = r.Expected, r.Base, r.Bitmap
	to.Packets, to.Marked, to.Entropies = r.Packets, r.Marked, uint16(len(r.Entropies))
	copy(to.Returned[:], r.Entropies)
}

// ReadReport copies a packet's report back. It reuses the memory of r.Entropies.
func ReadReport(from *packet.Report, r *reliable.Report) {
	r.Expected, r.Base, r.Bitmap = from.Expected, from.Base, from.Bitmap
	r.Packets, r.Marked = from.Packets, from.Marked
	r.Entropies = append(r.Entropies[:0], from.Returned[:from.Entropies]...)
}
