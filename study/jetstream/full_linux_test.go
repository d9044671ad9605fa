package jetstream

import (
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The disk of the queue has room for its beginning only.
func TestAFullDiskIsTold(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=256k"); err != nil {
		if os.Getuid() == 0 {
			t.Logf("as root: %v", err)
		}
		t.Skip("a small file system needs the right to mount one")
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	o := embeddedOptions(t)
	o.Dir = dir + "/queue"
	w := newWatcher(t)
	begun := time.Now()
	err := New(o).Execute(timeout(t, 20*time.Second), tasks(t, 5, play{Bytes: 300_000}), w)
	if err == nil || !strings.Contains(err.Error(), "no room left") || !strings.Contains(err.Error(), o.Dir) {
		t.Errorf("after %v: %v; notices %q", time.Since(begun), err, w.notices)
	}
}
