// Package draw provides the random numbers of the models. They use integer arithmetic only, so
// they are the same on every platform.
package draw

import (
	"crypto/sha256"
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
)

// Rand draws random numbers.
type Rand struct {
	*rand.Rand
	// words is the source, which is faster when called directly than through the interface.
	words *rand.PCG
}

// Stream returns the random numbers for one trial of one purpose under a seed. Streams are
// independent of each other.
func Stream(seed uint64, purpose string, trial int) Rand {
	text := binary.BigEndian.AppendUint64([]byte(purpose), seed)
	text = binary.BigEndian.AppendUint64(text, uint64(trial))
	h := sha256.Sum256(text)
	words := rand.NewPCG(binary.BigEndian.Uint64(h[:]), binary.BigEndian.Uint64(h[8:]))
	return Rand{rand.New(words), words}
}

// Below returns a number from 0 to n-1 with equal probabilities, in half the time of IntN (Lemire
// 2019).
func (r Rand) Below(n int) int {
	high, low := bits.Mul64(r.words.Uint64(), uint64(n))
	if low < uint64(n) {
		for limit := -uint64(n) % uint64(n); low < limit; {
			high, low = bits.Mul64(r.words.Uint64(), uint64(n))
		}
	}
	return int(high)
}

// Split throws balls into two bins and returns how many fall into the first, whose share is
// part/whole: a binomial number. Each ball compares a random binary fraction with the share,
// digit by digit from the left, until they differ. A random word serves one digit of 64 balls,
// and each digit settles half of the remaining balls, so a ball takes about 1/32 of a random
// word.
func (r Rand) Split(balls, part, whole int) int {
	if part >= whole {
		return balls
	}
	first := 0
	rest := uint64(part)
	for balls > 0 && rest > 0 {
		rest <<= 1
		digit := rest >= uint64(whole)
		if digit {
			rest -= uint64(whole)
		}
		ones := r.ones(balls)
		if digit {
			// Zeros are below the share. Ones are still equal to it.
			first += balls - ones
			balls = ones
		} else {
			balls -= ones
		}
	}
	return first
}

// ones tosses coins and returns the number of heads.
func (r Rand) ones(coins int) int {
	n := 0
	for ; coins >= 64; coins -= 64 {
		n += bits.OnesCount64(r.words.Uint64())
	}
	if coins > 0 {
		n += bits.OnesCount64(r.words.Uint64() >> (64 - coins))
	}
	return n
}

// Spread throws balls into equally likely bins and adds them to the counts.
func (r Rand) Spread(balls int, counts []int) {
	for len(counts) > 1 && balls > 0 {
		half := len(counts) / 2
		left := r.Split(balls, half, len(counts))
		r.Spread(left, counts[:half])
		balls -= left
		counts = counts[half:]
	}
	if len(counts) == 1 {
		counts[0] += balls
	}
}
