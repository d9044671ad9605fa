package netns

import (
	"bytes"
	"context"
	"errors"
	"net"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// sh runs a line on a host and returns its output and status.
func sh(t *testing.T, h *Hosts, host int, line string) (string, int) {
	t.Helper()
	var out bytes.Buffer
	status, err := h.Run(context.Background(), Command{Host: host, Args: Shell(line), Stdout: &out, Stderr: &out})
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return strings.TrimSpace(out.String()), status
}

func TestCommands(t *testing.T) {
	h := build(t, 2, 0)
	for _, c := range []struct {
		line, out string
		status    int
	}{
		{"exit 3", "", 3},
		{"kill -9 $$", "", 128 + 9},
		{"cat /proc/sys/kernel/hostname", "h1", 0},
		{"no-such-program-7", "", 127},
		{"wc -c", "0", 0},
		{"cat /proc/net/dev | grep -c eth0", "1", 0},
		{"cat /proc/net/dev | grep -c weft", "0", 1},
	} {
		out, status := sh(t, h, 1, c.line)
		if status != c.status || c.out != "" && out != c.out {
			t.Errorf("%s: status %d, %q", c.line, status, out)
		}
	}
	if out, _ := sh(t, h, 1, "ls /sys/class/net; ls /sys/class/net/eth0/mtu"); !strings.Contains(out, "lo\n/sys/class/net/eth0/mtu") || strings.Contains(out, "weft") {
		t.Logf("/sys is not the host's: %q", out)
	}
	if _, err := h.Run(context.Background(), Command{Args: []string{"no-such-program-7"}}); err == nil || !strings.Contains(err.Error(), "host h0") {
		t.Errorf("a program that there is not: %v", err)
	}
	if here, _ := os.Hostname(); here == "h0" || here == "h1" {
		t.Errorf("this process is called %s", here)
	}
}

func TestNames(t *testing.T) {
	h := build(t, 3, 0)
	before, _ := os.ReadFile("/etc/resolv.conf")
	for _, way := range []struct {
		name string
		call func() error
	}{{"Names", h.Names}, {"older kernels", func() error { return coverNamed(h.table()) }}} {
		if err := way.call(); err != nil {
			t.Errorf("%s: %v", way.name, err)
			continue
		}
		resolve(t, h)
		if err := unix.Unmount(hostsFile, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	}
	if after, _ := os.ReadFile("/etc/resolv.conf"); !bytes.Equal(before, after) {
		t.Error("/etc/resolv.conf is another")
	}
	entries, err := os.ReadDir(os.TempDir())
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), "weft-hosts") {
			t.Errorf("%s was left, %v", e.Name(), err)
		}
	}
}

// resolve looks names up by the C library and by Go's resolver.
func resolve(t *testing.T, h *Hosts) {
	t.Helper()
	if out, status := sh(t, h, 0, "getent ahostsv4 h2 && getent ahostsv6 h2"); status == 127 {
		t.Log("there is no getent")
	} else if status != 0 || !strings.Contains(out, "10.0.0.3") || h.IPv6() && !strings.Contains(out, "fd00::3") {
		t.Errorf("getent: status %d, %s", status, out)
	}
	err := h.Do(0, func() error {
		got, err := (&net.Resolver{PreferGo: true}).LookupHost(context.Background(), "h1")
		if len(got) == 0 || got[0] != "10.0.0.2" {
			t.Errorf("h1 is %v, %v", got, err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestCancel(t *testing.T) {
	h := build(t, 1, 0)
	for _, c := range []struct {
		name, line string
		status     int
	}{
		{"by SIGTERM", "echo ready; exec sleep 1000", 128 + 15},
		{"by SIGKILL", "trap '' TERM; echo ready; while :; do sleep 1000; done", 128 + 9},
		{"with children", "trap 'exit 5' TERM; (trap '' TERM; exec sleep 1000) & echo ready; wait", 5},
		{"stopped", "echo ready; kill -STOP $$", 128 + 15},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			mine := "9" + strconv.Itoa(int(time.Now().UnixNano()%1e9))
			line := strings.ReplaceAll(c.line, "1000", mine)
			lines := &Lines{Each: func(line []byte) error {
				if string(line) == "ready" {
					cancel()
				}
				return nil
			}}
			status, err := h.Run(ctx, Command{Args: Shell(line), Stdout: lines, Grace: 300 * time.Millisecond})
			if status != c.status || !errors.Is(err, context.Canceled) {
				t.Errorf("status %d, %v", status, err)
			}
			gone(t, "sleep "+mine)
		})
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := h.Run(ctx, Command{Args: Shell("exit 1")}); !errors.Is(err, context.Canceled) {
		t.Errorf("a command that was cancelled before: %v", err)
	}
}

// TestCommandLeavesOthers: Wait ends though something holds the output, which lives on until then.
func TestCommandLeavesOthers(t *testing.T) {
	h := build(t, 1, 0)
	var out bytes.Buffer
	status, err := h.Run(context.Background(), Command{Args: Shell("sleep 30 & echo $!"), Stdout: &out, Grace: 200 * time.Millisecond})
	if status != 0 || err != nil {
		t.Errorf("status %d, %v", status, err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(out.String()))
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.Kill(pid, unix.SIGKILL); err != nil {
		t.Errorf("what it left is gone: %v", err)
	}
	// Number 1 reaps it.
	for range 2000 {
		if err = unix.Kill(pid, 0); errors.Is(err, unix.ESRCH) {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Error("an orphan was not reaped")
}

// gone waits until no process has a text in its command line.
func gone(t *testing.T, text string) {
	t.Helper()
	var found []string
	for range 2000 {
		if found = having(text); len(found) == 0 {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Errorf("%s still runs: %v", text, found)
}

// having returns the processes that have a text in their command lines.
func having(text string) (list []string) {
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		if _, err := strconv.Atoi(e.Name()); err != nil {
			continue
		}
		line, err := os.ReadFile("/proc/" + e.Name() + "/cmdline")
		if err == nil && bytes.Contains(bytes.ReplaceAll(line, []byte{0}, []byte(" ")), []byte(text)) {
			list = append(list, e.Name())
		}
	}
	return list
}
