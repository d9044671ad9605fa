package netns

import (
	"fmt"
	"net"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// patience is how long the kernel may take for deferred work. It does some of it once a second.
const patience = 10 * time.Second

// await waits until a host can send and receive. Until the kernel has done deferred
// work, the end of the link that came up first silently drops everything. So does a
// host that has just got its IPv6 address.
func (h *Hosts) await(i int, ours, theirs *netlink.Handle) error {
	if err := until("its link is up at this end", func() (bool, error) {
		// Newer kernels do that work at once when asked.
		link, err := ours.LinkByIndex(h.list[i].index)
		return err == nil && link.Attrs().OperState == netlink.OperUp, err
	}); err != nil {
		return err
	}
	if err := until("its link is up", func() (bool, error) {
		link, err := theirs.LinkByName(hostLink)
		return err == nil && link.Attrs().OperState == netlink.OperUp, err
	}); err != nil || !h.six {
		return err
	}
	return until("it takes what comes for its address of IPv6", func() (bool, error) {
		routes, err := theirs.RouteGet(net.IP(Addr6(i).AsSlice()))
		return err == nil && len(routes) == 1 && routes[0].Type == unix.RTN_LOCAL, err
	})
}

// until polls until so returns true.
func until(what string, so func() (bool, error)) error {
	for end := time.Now().Add(patience); ; time.Sleep(500 * time.Microsecond) {
		ok, err := so()
		switch {
		case ok:
			return nil
		case time.Now().Before(end):
		case err != nil:
			return fmt.Errorf("waited %v until %s: %w", patience, what, err)
		default:
			return fmt.Errorf("waited %v until %s", patience, what)
		}
	}
}
