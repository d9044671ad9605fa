package main

import (
	"crypto/aes"
	"crypto/cipher"
	"time"
)

// around is roughly the size of weft's headers in a datagram, in bytes.
const around = 87

func payloadOf(datagram int) int { return datagram - around }

// newAEAD returns the cipher that weft uses, AES-256-GCM.
func newAEAD() cipher.AEAD {
	block, err := aes.NewCipher(make([]byte, 32))
	if err != nil {
		panic(err) // the key has the right size
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		panic(err) // so has the block
	}
	return aead
}

// bareSeals measures Seal and Open alone, on one datagram's payload after another.
func bareSeals(datagram int, each time.Duration) row {
	aead := newAEAD()
	nonce, text := make([]byte, aead.NonceSize()), make([]byte, payloadOf(datagram), payloadOf(datagram)+aead.Overhead())
	sealed := aead.Seal(nil, nonce, text, nil)
	seal := nanoseconds(each/10, func() { aead.Seal(text[:0], nonce, text, nil) })
	open := nanoseconds(each/10, func() {
		if _, err := aead.Open(text[:0], nonce, sealed, nil); err != nil {
			panic(err) // it was sealed above
		}
	})
	return row{What: "AES-256-GCM, alone", Datagram: datagram, Rounds: leastRounds, Seal: seal, Open: open}
}

// nanoseconds returns the duration of a call in nanoseconds: the median over rounds of many
// calls.
func nanoseconds(each time.Duration, call func()) float64 {
	const many = 1000
	var list []float64
	for began := time.Now(); time.Since(began) < each || len(list) < leastRounds; {
		at := time.Now()
		for range many {
			call()
		}
		list = append(list, float64(time.Since(at).Nanoseconds())/many)
	}
	return median(list)
}
