package workload

import (
	"math"

	"weft/internal/portable"
	"weft/problem"
	"weft/sim"
	"weft/unit"
)

// Divide assigns a share of the senders to a second set of sources, chosen at random and rounded
// to the nearest number of senders. It returns the sources of the others and of the chosen ones.
// The messages are the same as without Divide.
func Divide(sources []Source, share unit.Ratio, s Setting) (rest, chosen []Source, err error) {
	var senders []int32
	for h, source := range sources {
		if sends(source) {
			senders = append(senders, int32(h))
		}
	}
	n := int(math.Round(float64(share) * float64(len(senders))))
	if n == 0 || n == len(senders) {
		return nil, nil, problem.At("share", "share: %v of %d senders is %d of them, which leaves one side without senders", share, len(senders), n).Mend("use another share")
	}
	stream := sim.Stream(s.Seed, s.groupHash(), "background")
	portable.Sample(&stream, senders, n)
	rest, chosen = append([]Source(nil), sources...), make([]Source, len(sources))
	for _, h := range senders[:n] {
		rest[h], chosen[h] = nil, rest[h]
	}
	return rest, chosen, nil
}

// sends reports whether a source may have messages; some only listen.
func sends(s Source) bool {
	if l, ok := s.(interface{ sends() bool }); ok {
		return l.sends()
	}
	return s != nil
}
