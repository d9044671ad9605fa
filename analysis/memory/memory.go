// Package memory counts the state that load balancers keep per connection (ARCANE Table 1, §1,
// §3.3).
package memory

import "fmt"

// Field is a part of a sender's state.
type Field struct {
	Name  string
	Bits  int
	Count int
}

// Total returns the number of bits in all fields.
func Total(fields []Field) int {
	bits := 0
	for _, f := range fields {
		bits += f.Bits * f.Count
	}
	return bits
}

// Bytes converts bits to whole bytes, rounded up.
func Bytes(bits int) int { return (bits + 7) / 8 }

// ARCANE returns the fields of Table 1 for a buffer with the given number of entries and entropy
// values of the given width in bits.
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

// Scheme is a load balancer with its state per connection.
type Scheme struct {
	Name   string
	Bits   int
	Source string
}

// Others returns the published state of other load balancers, for entropy values of the given
// width in bits. weft list shows the state of weft's own implementations.
func Others(width int) []Scheme {
	const rounds, pause = 5, 32
	return []Scheme{
		{"ECMP", width, "an entropy value"},
		{"OPS", 0, "draws every entropy value anew"},
		{"PLB in Linux", width + rounds + pause, "an entropy value, congested rounds in a row and the end of the pause (tcp_plb_state of Linux 6.2)"},
		{"bitmap", 1 << width, fmt.Sprintf("one bit for each of %d entropy values (ARCANE §3.3)", 1<<width)},
		{"MPTCP", 368 * 8, "368 B on top of TCP's for 8 subflows (ARCANE §1, after MP-RDMA, NSDI 2018)"},
	}
}
