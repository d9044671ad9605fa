//go:build unix

package userfile

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"weft/unit"
)

func TestReadRefusesWhatIsNoFile(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(pipe, link); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		pipe:                          "is a pipe, not a regular file",
		link:                          "is a pipe",
		os.DevNull:                    "is a device",
		"/dev/zero":                   "is a device",
		dir:                           syscall.EISDIR.Error(),
		filepath.Join(dir, "missing"): fs.ErrNotExist.Error(),
	} {
		_, err := Read(path, unit.MiB)
		var file *fs.PathError
		if !errors.As(err, &file) || file.Path != path || !strings.Contains(err.Error(), want) && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
}

func TestReadLimits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte("12345678"), 0o600); err != nil {
		t.Fatal(err)
	}
	if text, err := Read(path, 8); err != nil || string(text) != "12345678" {
		t.Errorf("at the limit: %q, %v", text, err)
	}
	if _, err := Read(path, 7); err == nil || !strings.Contains(err.Error(), "is larger than 7B, the limit for such files") {
		t.Errorf("above it: %v", err)
	}
	// A file can grow after it was opened, but those of the system have no size.
	f, err := Open(path, 8)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := os.WriteFile(path, []byte("123456789"), 0o600); err != nil {
		t.Fatal(err)
	}
	if n, err := io.Copy(io.Discard, f); err == nil || !strings.Contains(err.Error(), "is larger") {
		t.Errorf("a growing file: %d bytes, %v", n, err)
	}
}

func TestSHA256(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte("abc"), 0o600); err != nil {
		t.Fatal(err)
	}
	const want = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
	if got, err := SHA256(path); err != nil || got != want {
		t.Errorf("%s, %v", got, err)
	}
	// A folder has its files' names and content in it.
	dir := filepath.Dir(path)
	if err := os.Mkdir(filepath.Join(dir, "below"), 0o700); err != nil {
		t.Fatal(err)
	}
	line := sha256.Sum256([]byte(want + "  file\n"))
	if got, err := SHA256(dir); err != nil || got != hex.EncodeToString(line[:]) {
		t.Errorf("%s, %v", got, err)
	}
}
