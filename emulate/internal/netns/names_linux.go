package netns

import (
	"bufio"
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

const hostsFile = "/etc/hosts"

// caches are folders by which a daemon outside would answer for names in place of that file.
var caches = [...]string{"/run/nscd", "/var/run/nscd"}

// Names puts a file with the names and addresses of all hosts in the place of /etc/hosts, for this
// process, what it starts, and nobody else. The file itself stays as it is, and so does
// /etc/resolv.conf; servers that it names cannot be reached from hosts.
func (h *Hosts) Names() error {
	f, path, err := unnamed()
	if err != nil {
		return fmt.Errorf("make a file of hosts: %w", err)
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	fmt.Fprintln(w, "127.0.0.1 localhost\n::1 localhost ip6-localhost ip6-loopback")
	for i, name := range h.names {
		fmt.Fprintln(w, Addr(i), name)
		if h.six {
			fmt.Fprintln(w, Addr6(i), name)
		}
	}
	// A mask of the user's may keep others from reading it, and commands may be others.
	if err := errors.Join(w.Flush(), f.Chmod(0o644)); err != nil {
		return fmt.Errorf("write a file of hosts: %w", err)
	}
	if err := unix.Mount(path, hostsFile, "", unix.MS_BIND, ""); err != nil {
		return fmt.Errorf("mount a file of hosts over %s: %w", hostsFile, err)
	}
	if path != procPath(f) {
		_ = os.Remove(path)
	}
	for _, cache := range caches {
		if info, err := os.Lstat(cache); err == nil && info.IsDir() {
			_ = unix.Mount("none", cache, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, "size=4k")
		}
	}
	return nil
}

// unnamed opens a temporary file, and returns a path by which it can be mounted. It has no name, so
// that nothing is left whatever happens, where the file system can do that.
func unnamed() (*os.File, string, error) {
	fd, err := unix.Open(os.TempDir(), unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, 0o600)
	if err == nil {
		f := os.NewFile(uintptr(fd), hostsFile)
		return f, procPath(f), nil
	}
	f, err := os.CreateTemp("", "hosts")
	if err != nil {
		return nil, "", err
	}
	return f, f.Name(), nil
}

func procPath(f *os.File) string { return fmt.Sprintf("/proc/self/fd/%d", f.Fd()) }
