package netns

import (
	"fmt"
	"slices"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// MTU returns the MTU of all links.
func (h *Hosts) MTU() int { return h.mtu }

// IPv6 tells whether hosts have addresses of IPv6: the kernel knows it, and the MTU is 1280 at least.
func (h *Hosts) IPv6() bool { return h.six }

// Notes returns what could not be set up as it should be, in sentences for people. Hosts work without.
func (h *Hosts) Notes() []string { return slices.Clone(h.notes) }

// Do calls a function on a thread that is in a host's network namespace, so that sockets which
// it opens are the host's. What else it starts, goroutines too, is not in there.
func (h *Hosts) Do(host int, f func() error) error {
	return onThread(func() error {
		if err := h.join(host); err != nil {
			return err
		}
		return f()
	})
}

// join takes the thread into a host's network.
func (h *Hosts) join(host int) error {
	if err := unix.Setns(int(h.list[host].net.Fd()), unix.CLONE_NEWNET); err != nil {
		return fmt.Errorf("enter the network of host %s: %w", h.names[host], err)
	}
	return nil
}

// enter takes the thread into all of a host's namespaces.
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

// showLinks has /sys show the links of the thread's network namespace, where programs look them up,
// and not those of the namespace in which it was mounted. The rest of /sys stays, such as
// control groups. Old kernels cannot do it, and containers may forbid it.
func showLinks() {
	sys, err := detached("sysfs")
	if err != nil {
		return
	}
	defer sys.Close()
	// The first has links to files of the second.
	for _, folder := range []string{"class/net", "devices/virtual/net"} {
		if graft(sys, folder, "/sys/"+folder) != nil {
			return
		}
	}
}

// Lost returns what kernels have dropped so far.
func (h *Hosts) Lost() (l Lost, err error) {
	ours, err := netlink.NewHandle(unix.NETLINK_ROUTE)
	if err != nil {
		return l, fmt.Errorf("open a netlink socket: %w", err)
	}
	defer ours.Close()
	err = onThread(func() error {
		for i := range h.list {
			// A veth link counts at the end that sends.
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

// Close takes the links away and lets go of the hosts, whose namespaces end with the commands and
// sockets in them. It takes 20 ms a host. The end of the process does all that sooner, so only who goes
// on without hosts needs it.
func (h *Hosts) Close() {
	// Without links, namespaces whose sockets live on are no harm.
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
