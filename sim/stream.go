package sim

import "math/rand/v2"

// Stream returns the random stream of one purpose of one entity under a seed.
// Streams are independent of each other, so that drawing more from one, or
// adding an entity, leaves all others as they were.
func Stream(seed, entity uint64, purpose string) rand.PCG {
	var p rand.PCG
	SeedStream(&p, seed, entity, purpose)
	return p
}

// SeedStream sets p to the start of the stream that Stream returns.
func SeedStream(p *rand.PCG, seed, entity uint64, purpose string) {
	h := Hash(purpose)
	p.Seed(Mix(seed^h), Mix(entity+h))
}

// Hash returns a 64-bit hash of a stable name (FNV-1a, finished with Mix).
func Hash(name string) uint64 {
	h := uint64(14695981039346656037)
	for i := 0; i < len(name); i++ {
		h = (h ^ uint64(name[i])) * 1099511628211
	}
	return Mix(h)
}

// Mix is a bijection on 64-bit words that scatters nearby inputs
// (the finaliser of SplitMix64).
func Mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
