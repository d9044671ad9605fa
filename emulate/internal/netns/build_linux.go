package netns

import (
	"errors"
	"fmt"
	"net"
	"os"
	"slices"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"weft/unit"
)

// Addresses that hosts use. All hosts share one link address: without ARP, a kernel uses its
// own link address for any next hop. With a single next hop, each kernel has one neighbour
// instead of one per host; the table of neighbours is small and shared by all namespaces.
var (
	hostMAC  = net.HardwareAddr{0x02, 0x77, 0x65, 0x66, 0x74, 0x00}
	ourMAC   = net.HardwareAddr{0x02, 0x77, 0x65, 0x66, 0x74, 0x01}
	network4 = net.IPNet{IP: net.IP{10, 0, 0, 0}, Mask: net.CIDRMask(8, 32)}
	network6 = net.IPNet{IP: net.ParseIP("fd00::"), Mask: net.CIDRMask(64, 128)}
	nextHop4 = net.IP{10, 255, 255, 254}
	nextHop6 = net.ParseIP("fe80::1")
)

// hostLink is the name of a host's end of its link.
const hostLink = "eth0"

// leastMTU6 is the smallest MTU that IPv6 allows. Below it, hosts have no IPv6.
const leastMTU6 = 1280

// addrGenNone is IN6_ADDR_GEN_MODE_NONE: no link-local address, and so no traffic from one.
const addrGenNone = 1

// Hosts are the hosts of an emulated fabric. Goroutines may call its methods concurrently.
type Hosts struct {
	names []string
	mtu   int
	// rates are the rates of links, or nil if kernels do not limit their sending.
	rates []unit.Rate
	six   bool
	list  []host
	notes []string
	// unset reports that a kernel setting could not be written, which notes mention once.
	unset bool
}

// host is one of the hosts.
type host struct {
	net, uts *os.File
	// index is the index of our end of the host's link.
	index int
}

// Build makes hosts. Each has a network namespace in which eth0 leads to this
// process. Close must be called before Build may be called again.
func (s *Space) Build(o Options) (*Hosts, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	h := &Hosts{names: slices.Clone(o.Names), mtu: o.MTU, rates: slices.Clone(o.Rates), six: o.MTU >= leastMTU6 && haveSix(), list: make([]host, len(o.Names))}
	if !s.proc {
		h.notes = append(h.notes, "/proc shows processes of outside, as it could not be mounted anew; commands on hosts see other numbers of processes there")
	}
	err := onThread(h.build)
	if err != nil {
		h.Close()
		return nil, err
	}
	return h, nil
}

// haveSix reports whether the kernel has IPv6.
func haveSix() bool {
	fd, err := unix.Socket(unix.AF_INET6, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return false
	}
	unix.Close(fd)
	return true
}

// build makes all hosts on one thread, which moves from one new namespace to the next.
func (h *Hosts) build() error {
	ours, err := netlink.NewHandle(unix.NETLINK_ROUTE)
	if err != nil {
		return fmt.Errorf("open a netlink socket: %w", err)
	}
	defer ours.Close()
	// Our ends carry frames for others and are not hosts.
	h.set("net/ipv6/conf/all/disable_ipv6", "1")
	h.set("net/ipv6/conf/default/disable_ipv6", "1")
	for i := range h.list {
		if err := h.add(i, ours); err != nil {
			return fmt.Errorf("host %s: %w", h.names[i], err)
		}
	}
	return nil
}

// add makes a host and leaves the thread in its namespaces.
func (h *Hosts) add(i int, ours *netlink.Handle) error {
	if err := unix.Unshare(unix.CLONE_NEWNET | unix.CLONE_NEWUTS); err != nil {
		return fmt.Errorf("make namespaces: %w; each host has two, see the sysctls user.max_net_namespaces and user.max_uts_namespaces", err)
	}
	if err := unix.Sethostname([]byte(h.names[i])); err != nil {
		return fmt.Errorf("set the host's name: %w", err)
	}
	var err error
	if h.list[i].net, err = openNS("net"); err != nil {
		return err
	}
	if h.list[i].uts, err = openNS("uts"); err != nil {
		return err
	}
	h.quiet()
	if err := h.connect(i, ours); err != nil {
		return err
	}
	theirs, err := netlink.NewHandle(unix.NETLINK_ROUTE)
	if err != nil {
		return fmt.Errorf("open a netlink socket: %w", err)
	}
	defer theirs.Close()
	if err := h.configure(i, theirs); err != nil {
		return err
	}
	if err := h.await(i, ours, theirs); err != nil {
		return err
	}
	if err := offloadsOff(hostLink); err != nil {
		return err
	}
	return h.throttle(i, theirs)
}

func openNS(name string) (*os.File, error) {
	f, err := os.Open("/proc/thread-self/ns/" + name)
	if errors.Is(err, unix.EMFILE) {
		return nil, fmt.Errorf("%w; each host takes two, raise the limit (ulimit -n)", err)
	}
	return f, err
}

// quiet stops the kernel from sending packets on its own and from accepting router
// advertisements, on future links.
func (h *Hosts) quiet() {
	for _, s := range []struct{ key, value string }{
		{"ipv4/conf/all/rp_filter", "0"}, {"ipv4/conf/default/rp_filter", "0"},
		{"ipv6/conf/default/disable_ipv6", "0"}, {"ipv6/conf/default/accept_ra", "0"},
		{"ipv6/conf/default/autoconf", "0"}, {"ipv6/conf/default/router_solicitations", "0"}, {"ipv6/conf/default/accept_dad", "0"},
	} {
		if h.six || s.key[:4] == "ipv4" {
			h.set("net/"+s.key, s.value)
		}
	}
}

// set writes a setting of the thread's network namespace. If /proc/sys cannot be
// written, it notes that once.
func (h *Hosts) set(key, value string) {
	err := os.WriteFile("/proc/sys/"+key, []byte(value), 0)
	if err == nil || errors.Is(err, os.ErrNotExist) || h.unset {
		return
	}
	h.unset = true
	h.notes = append(h.notes, fmt.Sprintf("settings of the kernel stay as they are, such as %s: %v", key, errors.Unwrap(err)))
}

// connect makes the link of a host. The thread is in the host's namespace.
func (h *Hosts) connect(i int, ours *netlink.Handle) error {
	attrs := netlink.NewLinkAttrs()
	attrs.Name, attrs.MTU, attrs.HardwareAddr = fmt.Sprintf("weft%d", i), h.mtu, ourMAC
	attrs.NumTxQueues, attrs.NumRxQueues = 1, 1
	link := &netlink.Veth{
		LinkAttrs: attrs, PeerName: hostLink, PeerHardwareAddr: hostMAC, PeerMTU: uint32(h.mtu),
		PeerNumTxQueues: 1, PeerNumRxQueues: 1, PeerNamespace: netlink.NsFd(int(h.list[i].net.Fd())),
	}
	if err := ours.LinkAdd(link); err != nil {
		if errors.Is(err, unix.EOPNOTSUPP) {
			return &missingError{Kind: "veth links", Found: "the kernel does not know them: " + describe(err), Remedy: "load the module veth (modprobe veth as root)", Err: err}
		}
		return fmt.Errorf("make a veth link: %w", err)
	}
	if link.Index == 0 {
		made, err := ours.LinkByName(attrs.Name)
		if err != nil {
			return fmt.Errorf("find %s: %w", attrs.Name, err)
		}
		link.Index = made.Attrs().Index
	}
	h.list[i].index = link.Index
	if err := up(ours, link); err != nil {
		return fmt.Errorf("%s: %w", attrs.Name, err)
	}
	return nil
}

// up starts a link without neighbour discovery and without generated addresses.
func up(handle *netlink.Handle, link netlink.Link) error {
	if err := handle.LinkSetARPOff(link); err != nil {
		return fmt.Errorf("switch ARP off: %w", err)
	}
	// A kernel without IPv6 has no such mode.
	_ = handle.LinkSetIP6AddrGenMode(link, addrGenNone)
	if err := handle.LinkSetUp(link); err != nil {
		return fmt.Errorf("bring the link up: %w", err)
	}
	return nil
}

// configure sets a host's addresses and routes.
func (h *Hosts) configure(i int, theirs *netlink.Handle) error {
	lo, err := theirs.LinkByName("lo")
	if err != nil {
		return fmt.Errorf("find lo: %w", err)
	}
	if err := theirs.LinkSetUp(lo); err != nil {
		return fmt.Errorf("bring lo up: %w", err)
	}
	eth, err := theirs.LinkByName(hostLink)
	if err != nil {
		return fmt.Errorf("find %s: %w", hostLink, err)
	}
	if err := up(theirs, eth); err != nil {
		return fmt.Errorf("%s: %w", hostLink, err)
	}
	families := []struct {
		network net.IPNet
		own     net.IP
		next    net.IP
		flags   int
	}{{network4, Addr(i).AsSlice(), nextHop4, 0}, {network6, Addr6(i).AsSlice(), nextHop6, unix.IFA_F_NODAD}}
	for _, f := range families {
		if len(f.own) == net.IPv6len && !h.six {
			continue
		}
		addr := &netlink.Addr{IPNet: &net.IPNet{IP: f.own, Mask: f.network.Mask}, Flags: f.flags | unix.IFA_F_NOPREFIXROUTE}
		if err := theirs.AddrAdd(eth, addr); errors.Is(err, unix.EACCES) && len(f.own) == net.IPv6len {
			// This follows from the setting disable_ipv6, which is the same for all hosts.
			h.six = false
			h.notes = append(h.notes, "hosts have no IPv6: the system has it switched off, and its settings cannot be written")
			continue
		} else if err != nil {
			return fmt.Errorf("give it the address %s: %w", f.own, err)
		}
		route := &netlink.Route{LinkIndex: eth.Attrs().Index, Dst: &f.network, Gw: f.next, Src: f.own, Flags: int(netlink.FLAG_ONLINK)}
		if err := theirs.RouteAdd(route); err != nil {
			return fmt.Errorf("give it the route to %s: %w", &f.network, err)
		}
	}
	return nil
}
