//go:build linux

package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"runtime"
	"unsafe"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// namespace is a network namespace. It exists while something holds it open.
type namespace struct {
	name string
	file *os.File
}

// allMAC is the address of all links: without ARP, a kernel uses its own address for any next hop.
var allMAC = net.HardwareAddr{0x02, 0x72, 0x76, 0x6c, 0x73, 0x00}

// newNamespace makes a network namespace that forwards packets and sends none on its own.
func newNamespace(name string) (*namespace, error) {
	n := &namespace{name: name}
	err := onThread(func() error {
		if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
			return err
		}
		for key, value := range map[string]string{
			"ipv4/ip_forward": "1", "ipv4/conf/all/rp_filter": "0", "ipv4/conf/default/rp_filter": "0",
			"ipv4/conf/all/send_redirects": "0", "ipv4/conf/default/send_redirects": "0",
			"ipv6/conf/all/disable_ipv6": "1", "ipv6/conf/default/disable_ipv6": "1",
		} {
			if err := os.WriteFile("/proc/sys/net/"+key, []byte(value), 0); err != nil && !errors.Is(err, os.ErrNotExist) {
				return err
			}
		}
		var err error
		n.file, err = os.Open("/proc/thread-self/ns/net")
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("make the namespace %s: %w", name, err)
	}
	return n, nil
}

// onThread calls a function on a thread that ends afterwards, so that it may change the thread's namespaces.
func onThread(f func() error) error {
	done := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // a goroutine that ends locked takes its thread along
		done <- f()
	}()
	return <-done
}

// do calls a function in the namespace.
func (n *namespace) do(f func() error) error {
	return onThread(func() error {
		if err := unix.Setns(int(n.file.Fd()), unix.CLONE_NEWNET); err != nil {
			return fmt.Errorf("enter %s: %w", n.name, err)
		}
		return f()
	})
}

// link makes a veth link without offloads. The bucket, if any, is at its end in a.
func link(a *namespace, aName string, b *namespace, bName string, bucket *bucketOf) error {
	err := a.do(func() error {
		attrs := netlink.NewLinkAttrs()
		attrs.Name, attrs.MTU, attrs.HardwareAddr, attrs.NumTxQueues, attrs.NumRxQueues = aName, mtu, allMAC, 1, 1
		return netlink.LinkAdd(&netlink.Veth{
			LinkAttrs: attrs, PeerName: bName, PeerHardwareAddr: allMAC, PeerMTU: mtu, PeerNumTxQueues: 1, PeerNumRxQueues: 1,
			PeerNamespace: netlink.NsFd(int(b.file.Fd())),
		})
	})
	if err != nil {
		return fmt.Errorf("link %s to %s: %w", a.name, b.name, err)
	}
	for _, end := range []struct {
		n    *namespace
		name string
	}{{a, aName}, {b, bName}} {
		if err := end.n.do(func() error { return up(end.name) }); err != nil {
			return fmt.Errorf("bring up %s of %s: %w", end.name, end.n.name, err)
		}
	}
	if bucket == nil {
		return nil
	}
	return a.do(func() error {
		l, err := netlink.LinkByName(aName)
		if err != nil {
			return err
		}
		if err := netlink.QdiscAdd(bucket.qdisc(l.Attrs().Index)); err != nil {
			return fmt.Errorf("add a token bucket (tbf) on %s: %w", a.name, err)
		}
		return nil
	})
}

func up(name string) error {
	l, err := netlink.LinkByName(name)
	if err != nil {
		return err
	}
	if err := offloadsOff(name); err != nil {
		return err
	}
	return errors.Join(netlink.LinkSetARPOff(l), netlink.LinkSetUp(l))
}

// address adds an address to a link of the namespace.
func (n *namespace) address(link, ip string) error {
	return n.do(func() error {
		l, err := netlink.LinkByName(link)
		if err != nil {
			return err
		}
		return netlink.AddrAdd(l, &netlink.Addr{IPNet: &net.IPNet{IP: net.ParseIP(ip), Mask: net.CIDRMask(32, 32)}})
	})
}

// route sends packets for an address over a link, or all packets if ip is empty.
func (n *namespace) route(ip, link string) error {
	return n.do(func() error {
		l, err := netlink.LinkByName(link)
		if err != nil {
			return err
		}
		to := &net.IPNet{IP: net.IPv4zero, Mask: net.CIDRMask(0, 32)}
		if ip != "" {
			to = &net.IPNet{IP: net.ParseIP(ip), Mask: net.CIDRMask(32, 32)}
		}
		if err := netlink.RouteAdd(&netlink.Route{LinkIndex: l.Attrs().Index, Dst: to, Scope: netlink.SCOPE_LINK}); err != nil {
			return fmt.Errorf("route %q over %s of %s: %w", ip, link, n.name, err)
		}
		return nil
	})
}

// dropped returns how many packets the bucket of a link passed and dropped.
func (n *namespace) dropped(link string) (packets, dropped uint64, err error) {
	err = n.do(func() error {
		l, err := netlink.LinkByName(link)
		if err != nil {
			return err
		}
		list, err := netlink.QdiscList(l)
		if err != nil {
			return err
		}
		for _, q := range list {
			if s := q.Attrs().Statistics; q.Type() == "tbf" && s != nil && s.Basic != nil && s.Queue != nil {
				packets, dropped = uint64(s.Basic.Packets), uint64(s.Queue.Drops)
				return nil
			}
		}
		return fmt.Errorf("%s of %s has no token bucket with counts", link, n.name)
	})
	return packets, dropped, err
}

// offloadsOff makes a link of the thread's namespace carry packets as a wire would:
// with checksums, and none above the MTU.
func offloadsOff(link string) error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	for _, command := range []uint32{unix.ETHTOOL_STSO, unix.ETHTOOL_SGSO, unix.ETHTOOL_SGRO, unix.ETHTOOL_STXCSUM} {
		value := struct{ command, on uint32 }{command, 0}
		request := struct {
			name [unix.IFNAMSIZ]byte
			data unsafe.Pointer
			_    [24 - unsafe.Sizeof(uintptr(0))]byte
		}{data: unsafe.Pointer(&value)}
		copy(request.name[:unix.IFNAMSIZ-1], link)
		if _, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), unix.SIOCETHTOOL, uintptr(unsafe.Pointer(&request))); errno != 0 {
			return fmt.Errorf("switch an offload off (ethtool %#x): %w", command, errno)
		}
	}
	return nil
}
