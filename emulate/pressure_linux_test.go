package emulate_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"weft/emulate"
	"weft/unit"
)

// programs are further ones that tests start on hosts, by the argument that names them.
var programs = map[string]func(args []string) int{
	"test-bulk":  bulk,
	"test-deaf":  deaf,
	"test-drain": drain,
	"test-flood": flood,
}

// flooded is how many datagrams of a full packet a program sends without looking at a clock.
const flooded = 3000

// streams is how many connections a bulk has.
const streams = 8

// bulk sends over TCP to a host for a second, as much as its kernel takes.
func bulk(args []string) int {
	var group errgroup.Group
	for range streams {
		group.Go(func() error {
			c, err := net.DialTimeout("tcp", args[0]+":5001", 10*time.Second)
			for try := 0; err != nil && try < 200; try++ {
				time.Sleep(20 * time.Millisecond) // it does not listen yet
				c, err = net.Dial("tcp", args[0]+":5001")
			}
			if err != nil {
				return err
			}
			defer c.Close()
			for b, end := make([]byte, 64<<10), time.Now().Add(time.Second); time.Now().Before(end); {
				if _, err := c.Write(b); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return said(group.Wait())
}

// drain reads all connections of a bulk to their ends.
func drain([]string) int {
	l, err := net.Listen("tcp", ":5001")
	if err != nil {
		return said(err)
	}
	var group errgroup.Group
	for range streams {
		c, err := l.Accept()
		if err != nil {
			return said(err)
		}
		group.Go(func() error {
			_, err := io.Copy(io.Discard, c)
			return err
		})
	}
	return said(group.Wait())
}

// said prints an error, if it is one, and returns the exit status.
func said(err error) int {
	if err == nil {
		return 0
	}
	fmt.Println(err)
	return 1
}

// flood sends datagrams to a host, as fast as its kernel takes them.
func flood(args []string) int {
	c, err := net.Dial("udp", args[0]+":9")
	if err != nil {
		return said(err)
	}
	for range flooded {
		// Nobody listens there, and the kernel says so now and then.
		if _, err := c.Write(make([]byte, 1472)); err != nil && !errors.Is(err, syscall.ECONNREFUSED) {
			return said(err)
		}
	}
	return 0
}

// deaf listens where a flood goes, with little room, and reads nothing for a while.
func deaf([]string) int {
	c, err := net.ListenUDP("udp", &net.UDPAddr{Port: 9})
	if err != nil {
		return said(err)
	}
	defer c.Close()
	if err := c.SetReadBuffer(20_000); err != nil {
		return said(err)
	}
	time.Sleep(2 * time.Second)
	return 0
}

// TestUnread: what a program does not read in time is counted at its host. That is the program's own business, and the run is not void for it.
func TestUnread(t *testing.T) {
	if space == nil {
		t.Skip(emulate.Available())
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r, err := emulate.Run(t.Context(), load(t, leaves), space, emulate.Options{
		Commands: []emulate.Command{{Host: "host0", Line: program + " test-deaf"}, {Host: "host1", Line: "sleep 0.3; " + program + " test-flood host0"}},
		Output:   func(c emulate.Command, line []byte) { t.Logf("%s: %s", c.Host, line) },
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Unread) != 1 || r.Unread[0].Host != "host0" || r.Unread[0].Datagrams < flooded/2 || r.Unread[0].Datagrams > flooded {
		t.Errorf("%+v of %d datagrams", r.Unread, flooded)
	}
	if why := r.Late.Void(); strings.Contains(why, "socket") || r.Late.Unread > 0 {
		t.Errorf("%s", why)
	}
}

// TestBackPressure: programs that send faster than their link are made to wait by their own kernel, so a queue
// of 256 packets at the NIC is never full. Some wait there, most of all where this machine is behind.
func TestBackPressure(t *testing.T) {
	if space == nil {
		t.Skip(emulate.Available())
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name     string
		commands []emulate.Command
		least    uint64
	}{
		{"TCP", []emulate.Command{{Host: "host0", Line: program + " test-drain"}, {Host: "host1", Line: program + " test-bulk host0"}}, 4000},
		{"UDP", []emulate.Command{{Host: "host1", Line: program + " test-flood host0"}}, flooded - 500},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := emulate.Run(t.Context(), load(t, leaves), space, emulate.Options{
				Commands: c.commands, Queue: 256 * 1538,
				Output: func(c emulate.Command, line []byte) { t.Logf("%s: %s", c.Host, line) },
			})
			if err != nil {
				t.Fatal(err)
			}
			if slices.ContainsFunc(r.Notes, func(n string) bool { return strings.Contains(n, "hosts do not notice how fast") }) {
				t.Skip(r.Notes)
			}
			for _, e := range r.Exits {
				if e.Status != 0 || e.Err != nil {
					t.Errorf("%+v", e)
				}
			}
			// What a kernel sent in the meantime comes at once to a thread that had lost its processor.
			if n := r.Packets; n.Refused > 0 && r.Late.Worst > 5*unit.Millisecond {
				t.Skipf("this machine stood still for %v", r.Late.Worst)
			} else if n.Refused > 0 || n.Entered < c.least {
				t.Errorf("%+v, want %d packets and none refused", n, c.least)
			}
			t.Logf("%+v in %v", r.Packets, r.Summary.Simulated)
		})
	}
}
