package fabric

import (
	"math/bits"
	"weft/topo"
)

// among returns the one of some ports that a hash of 32 bits chooses.
func among[P int32 | topo.PortID](ports []P, hash uint64) P {
	return ports[hash*uint64(len(ports))>>32]
}

// pathHash returns 32 well mixed bits of what a switch hashes, by multiplication; FatPaths (SC 2020, §VII-A6) has Fowler-Noll-Vo.
func pathHash(f *Frame, salt uint64) (h uint64) {
	hi, lo := bits.Mul64((uint64(uint32(f.Src()))<<32|uint64(uint32(f.Dst())))^salt, uint64(f.Entropy)^0x9e3779b97f4a7c15^salt>>7)
	h = hi ^ lo
	return (h ^ h>>32) * 0xd6e8feb86659fd93 >> 32
}

// pairHash is pathHash for the unordered pair of source and destination.
func pairHash(src, dst int32, entropy uint16, salt uint64) (h uint64) {
	a, b := uint64(uint32(min(src, dst))), uint64(uint32(max(src, dst)))
	hi, lo := bits.Mul64((a<<32|b)^salt, uint64(entropy)^0x9e3779b97f4a7c15^salt>>7)
	h = hi ^ lo
	return (h ^ h>>32) * 0xd6e8feb86659fd93 >> 32
}
