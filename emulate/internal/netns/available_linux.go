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
	// limit is the sysctl that limits how many a user may have.
	limit string
}

var kinds = [...]kind{
	{"user", unix.CLONE_NEWUSER, "user.max_user_namespaces"},
	{"mount", unix.CLONE_NEWNS, "user.max_mnt_namespaces"},
	{"PID", unix.CLONE_NEWPID, "user.max_pid_namespaces"},
	{"UTS", unix.CLONE_NEWUTS, "user.max_uts_namespaces"},
	{"network", unix.CLONE_NEWNET, "user.max_net_namespaces"},
}

// Available returns nil if Enter should work, and a *missingError otherwise. It starts
// processes that end at once. It cannot see whether the kernel has veth links.
func Available() error {
	if Entering() {
		return nil
	}
	if err := ownProc(); err != nil {
		return err
	}
	var err error
	for _, way := range ways() {
		// Chroot to "/" changes nothing, but needs a capability, as all later steps do.
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

// lacks returns why a user cannot have one kind of namespace in a user namespace of their own.
func lacks(k kind) (err error) {
	for _, way := range ways() {
		// The last of root's variants uses no user namespace.
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

// ownProc returns an error if /proc does not show this process under its PID. The
// users of new namespaces are set through /proc.
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

// probe tests whether a process can be started with given attributes. The program
// does not exist, which the kernel notices last.
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

// refused reports whether a start failed because namespaces are not allowed.
func refused(err error) bool {
	for _, errno := range []error{unix.EPERM, unix.EACCES, unix.EINVAL, unix.ENOSPC, unix.EUSERS, unix.ENOSYS} {
		if errors.Is(err, errno) {
			return true
		}
	}
	return false
}

// system holds the possible reasons why namespaces are refused.
type system struct {
	// sysctl reads a kernel setting; ok is false if the kernel lacks it.
	sysctl func(key string) (string, bool)
	// root reports that the user is root here, container that this is a container,
	// and filtered that system calls of this process are filtered.
	root, container, filtered bool
}

// here is the system that runs this process.
func here() system { return system{sysctl, os.Geteuid() == 0, inContainer(), filtered()} }

// missing returns an error that names what is missing and, if the system shows it, the reason.
func missing(what string, err error) error { return here().missing(what, err) }

// contained is how to start a container in which everything works. Docker's default
// rules refuse new namespaces by a filter of system calls, and mounts by AppArmor.
const contained = "start it with --privileged, or with --cap-add SYS_ADMIN --security-opt seccomp=unconfined --security-opt apparmor=unconfined (and label=disable where SELinux is)"

func (s system) missing(what string, err error) error {
	m := &missingError{Kind: what + " namespaces", Err: err}
	if what == "capabilities" {
		m.Kind, m.Found = "capabilities in a namespace of one's own", "a process in new namespaces was refused what root may: "+describe(err)
	} else {
		m.Found = "clone: " + describe(err)
	}
	// Each of these settings refuses ordinary users. In a container, its rules may
	// refuse them as well, and no setting can be changed.
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

// unmounted returns the error for mounts that are refused in existing namespaces.
func (s system) unmounted(err error) error {
	m := &missingError{Kind: "mounts in a namespace of one's own", Found: "mount: " + describe(err), Err: err}
	if s.container {
		m.Remedy = "the container's rules forbid them: " + contained
	} else {
		m.Remedy = "a security module such as SELinux or AppArmor forbids them, and its log names the rule (journalctl -k, ausearch -m avc)"
	}
	return m
}

// describe returns the kernel's error with its symbolic name.
func describe(err error) string {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return unix.ErrnoName(errno) + " (" + errno.Error() + ")"
	}
	return err.Error()
}

// sysctl reads a kernel setting; ok is false if the kernel lacks it.
func sysctl(key string) (string, bool) {
	text, err := os.ReadFile("/proc/sys/" + strings.ReplaceAll(key, ".", "/"))
	return strings.TrimSpace(string(text)), err == nil
}

// filtered reports whether system calls of this process are filtered.
func filtered() bool {
	text, err := os.ReadFile("/proc/self/status")
	return err == nil && strings.Contains(string(text), "\nSeccomp:\t2\n")
}

// inContainer looks for the traces of Docker, Podman and Kubernetes.
func inContainer() bool {
	for _, path := range []string{"/.dockerenv", "/run/.containerenv"} {
		if _, err := os.Stat(path); err == nil {
			return true
		}
	}
	return os.Getenv("KUBERNETES_SERVICE_HOST") != "" || os.Getenv("container") != ""
}
