package netns

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// kind is a kind of namespace.
type kind struct {
	name string
	flag uintptr
	// limit is the sysctl that bounds how many a user may have.
	limit string
}

var kinds = [...]kind{
	{"user", unix.CLONE_NEWUSER, "user.max_user_namespaces"},
	{"mount", unix.CLONE_NEWNS, "user.max_mnt_namespaces"},
	{"PID", unix.CLONE_NEWPID, "user.max_pid_namespaces"},
	{"UTS", unix.CLONE_NEWUTS, "user.max_uts_namespaces"},
	{"network", unix.CLONE_NEWNET, "user.max_net_namespaces"},
}

// Available returns nil if Enter can be expected to work, and a *missingError otherwise. It
// starts processes that end at once. What it cannot see is whether the kernel has veth links.
func Available() error {
	if Entering() {
		return nil
	}
	if err := ownProc(); err != nil {
		return err
	}
	var err error
	for _, way := range ways() {
		// To change the root to what it is needs a capability, as all that follows does.
		way.Chroot = "/"
		if err = probe(way); err == nil {
			return nil
		}
	}
	for _, k := range kinds {
		if err := lacks(k); err != nil {
			return missing(k.name, err)
		}
	}
	return missing("capabilities", err)
}

// lacks returns why one kind of namespace is not to be had, as far as a user's own are concerned.
func lacks(k kind) (err error) {
	for _, way := range ways() {
		// The last of root's ways goes without one of users.
		if way.Cloneflags&unix.CLONE_NEWUSER == 0 {
			continue
		}
		way.Cloneflags = unix.CLONE_NEWUSER | k.flag
		if err = probe(way); err == nil {
			return nil
		}
	}
	return err
}

// ownProc returns an error if /proc does not show this process by its number: users of new
// namespaces are set there.
func ownProc() error {
	m := &missingError{Kind: "files of processes", Remedy: "mount /proc anew (mount -t proc proc /proc)"}
	self, err := os.Readlink("/proc/self")
	switch {
	case err != nil:
		m.Found, m.Err = err.Error(), err
	case self != strconv.Itoa(os.Getpid()):
		m.Found = fmt.Sprintf("/proc is that of other namespaces: this process is %d, and %s there", os.Getpid(), self)
	default:
		return nil
	}
	return m
}

// probe tries whether a process can be started in a way. It names a program that does not exist,
// which is found out last.
func probe(way *syscall.SysProcAttr) error {
	p, err := os.StartProcess("/proc/self/no such program", []string{"probe"}, &os.ProcAttr{Sys: way})
	switch {
	case errors.Is(err, unix.ENOENT):
		return nil
	case err == nil:
		_, err = p.Wait()
	}
	return err
}

// refused tells whether an error of a start means that namespaces are not to be had.
func refused(err error) bool {
	for _, errno := range []error{unix.EPERM, unix.EACCES, unix.EINVAL, unix.ENOSPC, unix.EUSERS, unix.ENOSYS} {
		if errors.Is(err, errno) {
			return true
		}
	}
	return false
}

// system is what is known of why namespaces are refused.
type system struct {
	// sysctl reads a setting of the kernel; not all kernels have all.
	sysctl func(key string) (string, bool)
	// root tells that the user is root here, container that this is one, and filtered that system calls of this process are.
	root, container, filtered bool
}

// here is the system that runs this process.
func here() system { return system{sysctl, os.Geteuid() == 0, inContainer(), filtered()} }

// missing says what is missing, and why as far as the system tells.
func missing(what string, err error) error { return here().missing(what, err) }

// contained is how a container is started in which all of it works. The default rules of Docker refuse new namespaces by
// a filter of system calls, and mounts by AppArmor.
const contained = "start it with --privileged, or with --cap-add SYS_ADMIN --security-opt seccomp=unconfined --security-opt apparmor=unconfined (and label=disable where SELinux is)"

func (s system) missing(what string, err error) error {
	m := &missingError{Kind: what + " namespaces", Err: err}
	if what == "capabilities" {
		m.Kind, m.Found = "capabilities in a namespace of one's own", "a process in new namespaces was refused what root may: "+describe(err)
	} else {
		m.Found = "clone: " + describe(err)
	}
	// Each of these refuses all of an ordinary user's. In a container its rules may be the reason as well, and nothing can be set.
	for _, one := range []struct{ key, bad, remedy string }{
		{"kernel.unprivileged_userns_clone", "0", "sysctl -w kernel.unprivileged_userns_clone=1 as root allows it"},
		{"kernel.apparmor_restrict_unprivileged_userns", "1", "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0 as root, or an AppArmor profile for this program with the rule userns, allows it"},
	} {
		if value, ok := s.sysctl(one.key); ok && value == one.bad && !s.root {
			m.Found += fmt.Sprintf(", and %s = %s", one.key, value)
			m.Remedy = one.remedy
			if s.container {
				m.Remedy += " (outside this container); its own rules may forbid it, too: " + contained
			}
			return m
		}
	}
	for _, k := range kinds {
		if value, ok := s.sysctl(k.limit); ok && value == "0" {
			m.Found += fmt.Sprintf(", and %s = 0", k.limit)
			m.Remedy = fmt.Sprintf("sysctl -w %s=10000 as root allows it", k.limit)
			return m
		}
	}
	switch {
	case errors.Is(err, unix.ENOSPC), errors.Is(err, unix.EUSERS):
		m.Remedy = "end what holds namespaces, or raise the limits user.max_*_namespaces as root"
	case errors.Is(err, unix.EINVAL):
		m.Remedy = "the kernel was built without them (CONFIG_NAMESPACES and what belongs to it); use another kernel"
	case s.container:
		m.Remedy = "the container's rules forbid it: " + contained
	case errors.Is(err, unix.EACCES):
		m.Remedy = "a security module such as SELinux or AppArmor forbids it, and its log names the rule (journalctl -k, ausearch -m avc)"
	case s.filtered:
		m.Found += ", and system calls of this process are filtered (seccomp)"
		m.Remedy = "whoever started this process may forbid it, such as a sandbox, or systemd with RestrictNamespaces: start it without"
	default:
		m.Remedy = "ask for them whoever runs this machine, or run as root"
	}
	return m
}

// unmounted says why mounts cannot be made in namespaces that are there.
func (s system) unmounted(err error) error {
	m := &missingError{Kind: "mounts in a namespace of one's own", Found: "mount: " + describe(err), Err: err}
	if s.container {
		m.Remedy = "the container's rules forbid them: " + contained
	} else {
		m.Remedy = "a security module such as SELinux or AppArmor forbids them, and its log names the rule (journalctl -k, ausearch -m avc)"
	}
	return m
}

// describe returns what the kernel answered, with its name.
func describe(err error) string {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return unix.ErrnoName(errno) + " (" + errno.Error() + ")"
	}
	return err.Error()
}

// sysctl reads a setting of the kernel; not all kernels have all.
func sysctl(key string) (string, bool) {
	text, err := os.ReadFile("/proc/sys/" + strings.ReplaceAll(key, ".", "/"))
	return strings.TrimSpace(string(text)), err == nil
}

// filtered tells whether a filter of system calls holds for this process.
func filtered() bool {
	text, err := os.ReadFile("/proc/self/status")
	return err == nil && strings.Contains(string(text), "\nSeccomp:\t2\n")
}

// inContainer guesses by the marks that Docker, Podman and Kubernetes leave.
func inContainer() bool {
	for _, path := range []string{"/.dockerenv", "/run/.containerenv"} {
		if _, err := os.Stat(path); err == nil {
			return true
		}
	}
	return os.Getenv("KUBERNETES_SERVICE_HOST") != "" || os.Getenv("container") != ""
}
