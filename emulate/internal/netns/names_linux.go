package netns

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

const hostsFile = "/etc/hosts"

// caches are folders through which a daemon outside would answer name queries
// instead of the hosts file.
var caches = [...]string{"/run/nscd", "/var/run/nscd"}

// Names replaces /etc/hosts, for this process and its descendants only, with a file
// that has the names and addresses of all hosts. The original file stays unchanged.
// So does /etc/resolv.conf, but hosts cannot reach the servers that it names.
func (h *Hosts) Names() error {
	text := h.table()
	if err := cover(text); err != nil {
		// Older kernels need a file with a name until it is mounted.
		if err := coverNamed(text); err != nil {
			return fmt.Errorf("put a file with the names of hosts in the place of %s: %w", hostsFile, err)
		}
	}
	for _, cache := range caches {
		if info, err := os.Lstat(cache); err == nil && info.IsDir() {
			_ = unix.Mount("none", cache, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, "size=4k")
		}
	}
	return nil
}

// table returns the text of the hosts file.
func (h *Hosts) table() []byte {
	text := []byte("127.0.0.1 localhost\n::1 localhost ip6-localhost ip6-loopback\n")
	for i, name := range h.names {
		text = fmt.Appendln(text, Addr(i), name)
		if h.six {
			text = fmt.Appendln(text, Addr6(i), name)
		}
	}
	return text
}

// cover mounts a file with a text over the hosts file. The file has no path, so
// nothing of it can be left behind.
func cover(text []byte) error {
	memory, err := detached("tmpfs")
	if err != nil {
		return err
	}
	defer memory.Close()
	const name = "hosts"
	fd, err := unix.Openat(int(memory.Fd()), name, unix.O_CREAT|unix.O_WRONLY|unix.O_CLOEXEC, 0o644)
	if err != nil {
		return os.NewSyscallError("openat", err)
	}
	if err := fill(os.NewFile(uintptr(fd), name), text); err != nil {
		return err
	}
	return graft(memory, name, hostsFile)
}

// coverNamed does the same with a temporary file.
func coverNamed(text []byte) error {
	f, err := os.CreateTemp("", "weft-hosts-")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if err := fill(f, text); err != nil {
		return err
	}
	return os.NewSyscallError("mount", unix.Mount(f.Name(), hostsFile, "", unix.MS_BIND, ""))
}

// fill writes a file, makes it readable for all, and closes it.
func fill(f *os.File, text []byte) error {
	_, err := f.Write(text)
	return errors.Join(err, f.Chmod(0o644), f.Close())
}
