// Package memory counts the state that load balancers keep for a connection
// (ARCANE Table 1, §1, §3.3).
package memory

import "fmt"

// Field is a part of a sender's state.
type Field struct {
	Name  string
	Bits  int
	Count int
}

// Total returns the bits of all fields.
func Total(fields []Field) int {
	bits := 0
	for _, f := range fields {
		bits += f.Bits * f.Count
	}
	return bits
}

// Bytes returns bits as whole bytes, rounded up.
func Bytes(bits int) int { return (bits + 7) / 8 }

// ARCANE returns the fields of Table 1 for a buffer of so many entries and entropy
// values of so many bits.
func ARCANE(buffer, width int) []Field {
	return []Field{
		{"cached entropy value", width, buffer},
		{"validity", 1, buffer},
		{"head of the buffer", 8, 1},
		{"number of valid entropies", 8, 1},
		{"time at which freezing ends", 32, 1},
		{"freezing", 1, 1},
		{"explore counter", 8, 1},
	}
}

// Scheme is a load balancer with the state of a connection.
type Scheme struct {
	Name   string
	Bits   int
	Source string
}

// Others returns what other load balancers keep with entropy values of so many
// bits. Sizes that are not published are counted as Table 1 does, field by field,
// with times of 32 bits.
func Others(width int) []Scheme {
	const time = 32
	return []Scheme{
		{"ECMP", width, "an entropy value"},
		{"OPS", 0, "draws every entropy value anew"},
		{"flowlet", width + time, "an entropy value and the time of the last packet"},
		{"PLB", width + 5 + time, "an entropy value; congested rounds in a row (5 bits) and end of the pause, as Linux keeps them"},
		{"bitmap", 1 << width, fmt.Sprintf("a bit for each of %d entropy values (ARCANE §3.3)", 1<<width)},
		{"MPTCP", 368 * 8, "368 B on top of TCP's for 8 subflows (ARCANE §1, after MP-RDMA, NSDI 2018)"},
	}
}
