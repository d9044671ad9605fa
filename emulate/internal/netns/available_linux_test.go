package netns

import (
	"errors"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestCauses: on systems that people have, the error names the cause and what helps there.
func TestCauses(t *testing.T) {
	for _, c := range []struct {
		name      string
		settings  map[string]string
		system    system
		what      string
		err       error
		has, lack []string
	}{
		{"Ubuntu 24.04", map[string]string{"kernel.apparmor_restrict_unprivileged_userns": "1", "kernel.unprivileged_userns_clone": "1"}, system{}, "capabilities", unix.EPERM,
			[]string{"capabilities in a namespace", "EPERM", "kernel.apparmor_restrict_unprivileged_userns = 1;", "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0", "profile"}, []string{"container"}},
		{"Ubuntu 24.04 without the profile unprivileged_userns", map[string]string{"kernel.apparmor_restrict_unprivileged_userns": "1"}, system{}, "user", unix.EACCES,
			[]string{"user namespaces", "EACCES", "kernel.apparmor_restrict_unprivileged_userns=0"}, nil},
		{"an ordinary user in a container on Ubuntu 24.04", map[string]string{"kernel.apparmor_restrict_unprivileged_userns": "1"}, system{container: true, filtered: true}, "user", unix.EPERM,
			[]string{"kernel.apparmor_restrict_unprivileged_userns=0", "outside this container", "--privileged"}, nil},
		{"Docker on Ubuntu 24.04", map[string]string{"kernel.apparmor_restrict_unprivileged_userns": "1"}, system{root: true, container: true, filtered: true}, "user", unix.EPERM,
			[]string{"the container's rules", "--privileged", "seccomp=unconfined", "apparmor=unconfined", "label=disable"}, []string{"sysctl"}},
		{"Podman on SELinux", map[string]string{"user.max_user_namespaces": "15000"}, system{root: true, container: true}, "mount", unix.EACCES,
			[]string{"mount namespaces", "label=disable"}, []string{"sysctl"}},
		{"Debian 10", map[string]string{"kernel.unprivileged_userns_clone": "0"}, system{}, "user", unix.EPERM,
			[]string{"kernel.unprivileged_userns_clone = 0;", "sysctl -w kernel.unprivileged_userns_clone=1"}, nil},
		{"RHEL, hardened", map[string]string{"user.max_user_namespaces": "0"}, system{}, "user", unix.ENOSPC,
			[]string{"ENOSPC", "user.max_user_namespaces = 0;", "sysctl -w user.max_user_namespaces=10000"}, nil},
		{"too many", map[string]string{"user.max_net_namespaces": "96365"}, system{}, "network", unix.ENOSPC, []string{"end what holds namespaces"}, nil},
		{"a small kernel", nil, system{root: true}, "PID", unix.EINVAL, []string{"PID namespaces", "CONFIG_NAMESPACES"}, nil},
		{"SELinux", nil, system{}, "user", unix.EACCES, []string{"SELinux", "ausearch"}, []string{"container"}},
		{"a service of systemd", nil, system{filtered: true}, "network", unix.EPERM, []string{"seccomp", "RestrictNamespaces"}, []string{"container"}},
		{"no reason", nil, system{}, "user", unix.EPERM, []string{"or run as root"}, nil},
	} {
		c.system.sysctl = func(key string) (string, bool) {
			value, ok := c.settings[key]
			return value, ok
		}
		err := c.system.missing(c.what, &os.PathError{Op: "fork/exec", Path: "x", Err: c.err})
		if !errors.Is(err, errUnavailable) || !errors.Is(err, c.err) {
			t.Errorf("%s: %v is no such error", c.name, err)
		}
		expect(t, c.name, err, c.has, c.lack)
	}
}

// TestNoMounts: Docker's AppArmor profile refuses mounts where namespaces are allowed.
func TestNoMounts(t *testing.T) {
	expect(t, "Docker", system{container: true}.unmounted(unix.EACCES), []string{"mount: EACCES", "apparmor=unconfined"}, nil)
	expect(t, "SELinux", system{}.unmounted(unix.EPERM), []string{"mount: EPERM", "SELinux"}, []string{"container"})
}

func expect(t *testing.T, name string, err error, has, lack []string) {
	t.Helper()
	for _, want := range has {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%s: no %q in: %v", name, want, err)
		}
	}
	for _, not := range lack {
		if strings.Contains(err.Error(), not) {
			t.Errorf("%s: %q in: %v", name, not, err)
		}
	}
}
