package fabric

import (
	"testing"
	"unsafe"
)

// TestLayout keeps ports at two cache lines of 64 bytes and frames at half a line.
func TestLayout(t *testing.T) {
	for name, sizes := range map[string][2]uintptr{
		"port":   {unsafe.Sizeof(port{}), 128},
		"frame":  {unsafe.Sizeof(Frame{}), 32},
		"flight": {unsafe.Sizeof(flight{}), 48},
	} {
		if sizes[0] != sizes[1] {
			t.Errorf("a %s takes %d bytes, want %d", name, sizes[0], sizes[1])
		}
	}
	if at := unsafe.Offsetof(port{}.delay); at != 64 {
		t.Errorf("the second line of a port begins with byte %d of its fields", at)
	}
}
