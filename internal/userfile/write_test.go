//go:build unix

package userfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := WriteBytes(path, []byte(text)); err != nil {
		t.Fatal(err)
	}
}

// has demands what is in a file, and that nothing else is in its folder but these names.
func has(t *testing.T, path, text string, names ...string) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil || string(got) != text {
		t.Errorf("%s holds %q, %v; want %q", path, got, err, text)
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(entries) != len(names) {
		t.Errorf("%s holds %v, %v; want %v", filepath.Dir(path), entries, err, names)
	}
}

func TestWriteReplacesInOneStep(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	write(t, path, "first")
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	reader, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	write(t, path, "second")
	has(t, path, "second", "file")
	if info, err := os.Stat(path); err != nil || info.Mode() != 0o640 {
		t.Errorf("its mode is now %v, %v", info.Mode(), err)
	}
	// Who reads goes on reading what was there.
	if old, err := io.ReadAll(reader); err != nil || string(old) != "first" {
		t.Errorf("a reader of the old file sees %q, %v", old, err)
	}
	failed := errors.New("failed")
	err = Write(path, func(w io.Writer) error {
		io.WriteString(w, "half")
		return failed
	})
	if !errors.Is(err, failed) {
		t.Error(err)
	}
	has(t, path, "second", "file")
}

// TestStream: content that is written bit by bit appears when it is complete, or not at all.
func TestStream(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	failed := errors.New("failed")
	letters := func(text string, result error) error {
		return Stream(path, func(w io.Writer) error {
			for _, c := range text {
				if _, err := fmt.Fprintf(w, "%c", c); err != nil {
					return err
				}
			}
			return result
		})
	}
	if err := letters("half", failed); !errors.Is(err, failed) {
		t.Error(err)
	}
	if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) > 0 {
		t.Errorf("a failure left %v, %v", left, err)
	}
	for _, text := range []string{"first", "second"} {
		if err := letters(text, nil); err != nil {
			t.Fatal(err)
		}
		if err := letters("half", failed); !errors.Is(err, failed) {
			t.Error(err)
		}
		has(t, path, text, "file")
	}
}

func TestWriteFollowsLinks(t *testing.T) {
	for name, exists := range map[string]bool{"to a file": true, "to nothing": false} {
		t.Run(name, func(t *testing.T) {
			base := t.TempDir()
			// link -> linked/there, linked -> far/real, far/real/there -> ../target
			for _, dir := range []string{"far/real", "here"} {
				if err := os.MkdirAll(filepath.Join(base, dir), 0o777); err != nil {
					t.Fatal(err)
				}
			}
			links := map[string]string{"here/link": "../linked/there", "linked": "far/real", "far/real/there": "../target"}
			for at, to := range links {
				if err := os.Symlink(to, filepath.Join(base, at)); err != nil {
					t.Skip(err)
				}
			}
			target := filepath.Join(base, "far/target")
			if exists {
				write(t, target, "first")
			}
			write(t, filepath.Join(base, "here/link"), "second")
			has(t, target, "second", "real", "target")
			for at, to := range links {
				if got, err := os.Readlink(filepath.Join(base, at)); err != nil || got != to {
					t.Errorf("%s leads to %q, %v; want %q", at, got, err, to)
				}
			}
			has(t, filepath.Join(base, "here/link"), "second", "link")
		})
	}
}

func TestWriteToALoopOfLinks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	if err := os.Symlink(path, path); err != nil {
		t.Skip(err)
	}
	if err := WriteBytes(path, nil); !errors.Is(err, syscall.ELOOP) {
		t.Error(err)
	}
}

func TestWriteThroughAPipe(t *testing.T) {
	dir := t.TempDir()
	pipe, link := filepath.Join(dir, "pipe"), filepath.Join(dir, "link")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	if err := os.Symlink(pipe, link); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{pipe, link} {
		got := make(chan string)
		go func() {
			text, _ := os.ReadFile(pipe)
			got <- string(text)
		}()
		write(t, path, "through")
		if text := <-got; text != "through" {
			t.Errorf("%s: its reader got %q", path, text)
		}
	}
	if info, err := os.Lstat(pipe); err != nil || info.Mode()&fs.ModeNamedPipe == 0 {
		t.Errorf("the pipe is now %v, %v", info.Mode(), err)
	}
}

// TestWriteThroughADevice makes a null device of its own: the machine's must not be
// at stake.
func TestWriteThroughADevice(t *testing.T) {
	dir := t.TempDir()
	null := filepath.Join(dir, "null")
	if err := syscall.Mknod(null, syscall.S_IFCHR|0o600, 1<<8|3); err != nil {
		t.Skip(err)
	}
	if f, err := os.OpenFile(null, os.O_WRONLY, 0); err != nil {
		t.Skip(err) // mounted without devices
	} else {
		f.Close()
	}
	write(t, null, "gone")
	if info, err := os.Lstat(null); err != nil || info.Mode()&fs.ModeCharDevice == 0 {
		t.Errorf("the device is now %v, %v", info.Mode(), err)
	}
}

// TestWriteToTheStreamItself: a file that standard output goes to is not replaced, as what
// is printed later would be lost.
func TestWriteToTheStreamItself(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	before := os.Stdout
	os.Stdout = f
	defer func() { os.Stdout = before }()
	io.WriteString(os.Stdout, "before ")
	write(t, path, "written")
	io.WriteString(os.Stdout, " after")
	has(t, path, "before written after", "out")
}

func TestWriteRefuses(t *testing.T) {
	dir := t.TempDir()
	for path, want := range map[string]error{
		dir:                             syscall.EISDIR,
		filepath.Join(dir, "new") + "/": syscall.EISDIR,
		filepath.Join(dir, "none/file"): fs.ErrNotExist,
		"":                              fs.ErrNotExist,
	} {
		err := WriteBytes(path, []byte("x"))
		var file *fs.PathError
		if !errors.Is(err, want) || !errors.As(err, &file) || file.Path != path {
			t.Errorf("%q: %v, want %v of this path", path, err, want)
		}
	}
	protected := filepath.Join(dir, "protected")
	if err := os.WriteFile(protected, []byte("kept"), 0o400); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() == 0 {
		return // to root nothing is protected
	}
	if err := WriteBytes(protected, []byte("x")); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("a protected file: %v", err)
	}
	has(t, protected, "kept", "protected")
}

// TestWriteWhereNothingCanBeAdded: a file that may be written in a folder that may not.
func TestWriteWhereNothingCanBeAdded(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("to root nothing is protected")
	}
	path := filepath.Join(t.TempDir(), "file")
	write(t, path, "a longer first text")
	if err := os.Chmod(filepath.Dir(path), 0o500); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(filepath.Dir(path), 0o700)
	write(t, path, "second")
	has(t, path, "second", "file")
}
