package memory

import "testing"

func TestTable1(t *testing.T) {
	for buffer, want := range map[int][2]int{1: {74, 10}, 8: {193, 25}} {
		bits := Total(ARCANE(buffer, 16))
		if bits != want[0] || Bytes(bits) != want[1] {
			t.Errorf("a buffer of %d takes %d bits, %d B; want %d, %d B", buffer, bits, Bytes(bits), want[0], want[1])
		}
	}
	// One byte less an entry, as §3.3 has it for a small set.
	if got := Total(ARCANE(8, 16)) - Total(ARCANE(8, 8)); got != 64 {
		t.Errorf("entropy values of 8 bits save %d bits", got)
	}
}

func TestOthers(t *testing.T) {
	want := map[string]int{"ECMP": 16, "OPS": 0, "bitmap": 64 << 10, "MPTCP": 2944}
	for _, s := range Others(16) {
		if bits, ok := want[s.Name]; ok && s.Bits != bits {
			t.Errorf("%s keeps %d bits, want %d", s.Name, s.Bits, bits)
		}
		delete(want, s.Name)
		if s.Source == "" {
			t.Errorf("%s has no source", s.Name)
		}
	}
	if len(want) > 0 {
		t.Errorf("missing: %v", want)
	}
}
