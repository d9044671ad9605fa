package netns

import (
	"fmt"
	"slices"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// MTU returns the MTU of all links.
func (h *Hosts) MTU() int { return h.mtu }

// IPv6 reports whether hosts have IPv6 addresses: the kernel supports it, and the
// MTU is at least 1280.
func (h *Hosts) IPv6() bool { return h.six }

// Notes describes, in sentences for users, what could not be set up. Hosts work nevertheless.
func (h *Hosts) Notes() []string { return slices.Clone(h.notes) }

// Do calls a function on a thread in a host's network namespace, so that the sockets it opens
// belong to the host. Goroutines and threads that it starts are not in that namespace.
func (h *Hosts) Do(host int, f func() error) error {
	return onThread(func() error {
		if err := h.join(host); err != nil {
			return err
		}
		return f()
	})
}

// join moves the thread into a host's network namespace.
func (h *Hosts) join(host int) error {
	if err := unix.Setns(int(h.list[host].net.Fd()), unix.CLONE_NEWNET); err != nil {
		return fmt.Errorf("enter the network of host %s: %w", h.names[host], err)
	}
	return nil
}

// enter moves the thread into all of a host's namespaces.
func (h *Hosts) enter(host int) error {
	if err := h.join(host); err != nil {
		return err
	}
	if err := unix.Setns(int(h.list[host].uts.Fd()), unix.CLONE_NEWUTS); err != nil {
		return fmt.Errorf("take the name of host %s: %w", h.names[host], err)
	}
	if err := unix.Unshare(unix.CLONE_NEWNS); err != nil {
		return fmt.Errorf("make a mount namespace: %w", err)
	}
	showLinks()
	return nil
}

// showLinks makes /sys show the links of the thread's network namespace, where programs
// look them up, instead of the namespace in which /sys was mounted. The rest of /sys, such
// as control groups, stays. Old kernels cannot do this, and containers may forbid it.
func showLinks() {
	sys, err := detached("sysfs")
	if err != nil {
		return
	}
	defer sys.Close()
	// The first folder has links to files of the second.
	for _, folder := range []string{"class/net", "devices/virtual/net"} {
		if graft(sys, folder, "/sys/"+folder) != nil {
			return
		}
	}
}

// Lost returns how many frames kernels have dropped.
func (h *Hosts) Lost() (l Lost, err error) {
	ours, err := netlink.NewHandle(unix.NETLINK_ROUTE)
	if err != nil {
		return l, fmt.Errorf("open a netlink socket: %w", err)
	}
	defer ours.Close()
	err = onThread(func() error {
		for i := range h.list {
			// A veth link counts drops at its sending end.
			link, err := ours.LinkByIndex(h.list[i].index)
			if err != nil {
				return fmt.Errorf("ask for the link of host %s: %w", h.names[i], err)
			}
			l.Received += link.Attrs().Statistics.TxDropped
			if err := h.join(i); err != nil {
				return err
			}
			if link, err = netlink.LinkByName(hostLink); err != nil {
				return fmt.Errorf("ask host %s for its link: %w", h.names[i], err)
			}
			l.Sent += link.Attrs().Statistics.TxDropped
			if h.rates == nil {
				continue
			}
			n, err := overrun(link)
			if err != nil {
				return fmt.Errorf("host %s: %w", h.names[i], err)
			}
			l.Queued += n
		}
		return nil
	})
	return l, err
}

// Close removes the links and releases the hosts. Their namespaces end with the
// commands and sockets in them. It takes 20 ms per host. The end of the process
// does the same faster, so only a process that continues without hosts needs Close.
func (h *Hosts) Close() {
	// Without links, namespaces with sockets left do no harm.
	if ours, err := netlink.NewHandle(unix.NETLINK_ROUTE); err == nil {
		for _, host := range h.list {
			if host.index > 0 {
				_ = ours.LinkDel(&netlink.Veth{LinkAttrs: netlink.LinkAttrs{Index: host.index}})
			}
		}
		ours.Close()
	}
	for i := range h.list {
		h.list[i].net.Close()
		h.list[i].uts.Close()
	}
}
