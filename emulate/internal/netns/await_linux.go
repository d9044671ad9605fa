package netns

import (
	"fmt"
	"net"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// patience is how long the kernel may take for work that it does later: it does some once a second.
const patience = 10 * time.Second

// await waits until a host sends and receives. Until the kernel has done work that it does later,
// the end of the link that was brought up first drops all without a word, and so does
// a host what comes for an address of IPv6 that is new.
func (h *Hosts) await(i int, ours, theirs *netlink.Handle) error {
	if err := until("its link is up at this end", func() (bool, error) {
		// To ask has newer kernels do that work at once.
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

// until waits for something to be so.
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
