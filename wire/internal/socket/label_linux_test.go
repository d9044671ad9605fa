package socket

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// flowInfo is IPV6_FLOWINFO, which package unix does not have.
const flowInfo = 11

// labelled is a socket that reads the flow labels of what comes, and its address.
func labelled(t *testing.T) (fd int, at netip.AddrPort) {
	t.Helper()
	fd, err := unix.Socket(unix.AF_INET6, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Skipf("no IPv6 here: %v", err)
	}
	t.Cleanup(func() { unix.Close(fd) })
	wait := unix.NsecToTimeval(int64(10 * time.Second))
	for _, err := range []error{
		unix.Bind(fd, &unix.SockaddrInet6{Addr: netip.IPv6Loopback().As16()}),
		unix.SetsockoptInt(fd, unix.IPPROTO_IPV6, flowInfo, 1),
		unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &wait),
	} {
		if err != nil {
			t.Skipf("no flow labels here: %v", err)
		}
	}
	name, err := unix.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	return fd, netip.AddrPortFrom(netip.IPv6Loopback(), uint16(name.(*unix.SockaddrInet6).Port))
}

// receiveLabel returns the flow label of the next datagram, 0 if it has none.
func receiveLabel(t *testing.T, fd int) uint32 {
	t.Helper()
	data, control := make([]byte, 100), make([]byte, 100)
	_, n, _, _, err := unix.Recvmsg(fd, data, control, 0)
	if err != nil {
		t.Fatal(err)
	}
	list, err := unix.ParseSocketControlMessage(control[:n])
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range list {
		if m.Header.Level == unix.IPPROTO_IPV6 && m.Header.Type == flowInfo {
			return binary.BigEndian.Uint32(m.Data) & (1<<20 - 1)
		}
	}
	return 0
}

// TestEachPortHasItsFlowLabel: a port keeps its label, and no two of four have the same. Switched off, all is 0.
func TestEachPortHasItsFlowLabel(t *testing.T) {
	for _, way := range []string{"default", "WEFT_WIRE_NO_FLOWLABEL"} {
		for _, addr := range []string{"[::1]:0", ":0"} {
			t.Run(fmt.Sprintf("%s/%s", way, addr), func(t *testing.T) {
				if way != "default" {
					t.Setenv(way, "1")
				}
				fd, at := labelled(t)
				b := listen(t, addr, Options{Ports: 4})
				known := map[uint32]int{}
				for _, port := range []int{0, 1, 2, 3, 0, 1, 2, 3} {
					if err := b.Send(port, at, []byte("x")); err != nil {
						t.Fatal(err)
					}
					label := receiveLabel(t, fd)
					if before, ok := known[label]; ok && before != port && way == "default" {
						t.Errorf("ports %d and %d have label %#x", before, port, label)
					}
					known[label] = port
				}
				switch _, zero := known[0]; {
				case way != "default" && (!zero || len(known) != 1), way == "default" && !zero && len(known) != 4:
					t.Errorf("labels by port: %v", known)
				case way == "default" && zero:
					t.Skip("this system has flow labels switched off")
				}
			})
		}
	}
}
