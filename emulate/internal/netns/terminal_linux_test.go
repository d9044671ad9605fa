package netns

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestTerminal: a shell on a host has the terminal, with control of jobs; Ctrl-C is for what it runs.
func TestTerminal(t *testing.T) {
	nested(t)
	master, slave := terminal(t)
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), program+"=terminal", "PS1=> ", "ENV=")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	// As a shell's job in a terminal of its own.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	slave.Close()
	screen := &bytes.Buffer{}
	expect := func(text string) {
		t.Helper()
		_ = master.SetReadDeadline(time.Now().Add(20 * time.Second))
		buf := make([]byte, 4096)
		for !strings.Contains(screen.String(), text) {
			n, err := master.Read(buf)
			screen.Write(buf[:n])
			if err != nil {
				_ = cmd.Process.Kill()
				t.Fatalf("no %q: %v; the screen: %q", text, err, screen)
			}
		}
		screen.Reset()
	}
	for _, step := range []struct{ send, expect string }{
		{"", "> "},
		{"cat /proc/sys/kernel/hostname\n", "h0\r\n> "},
		{"echo st''arted; sleep 100; echo ne''xt\n", "started"},
		{"\x03", "> "},
		{"echo $((6 * 7))\n", "42"},
		{"exit 9\n", "status 9 <nil>"},
	} {
		if step.send == "\x03" {
			time.Sleep(200 * time.Millisecond) // until sleep has begun
		}
		if _, err := master.WriteString(step.send); err != nil {
			t.Fatal(err)
		}
		expect(step.expect)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("the end: %v", err)
	}
}

// terminal returns both ends of a new terminal.
func terminal(t *testing.T) (master, slave *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { master.Close() })
	raw, err := master.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	var number int
	var failed error
	err = raw.Control(func(fd uintptr) {
		var e1 error
		number, e1 = unix.IoctlGetInt(int(fd), unix.TIOCGPTN)
		failed = errors.Join(e1, unix.IoctlSetPointerInt(int(fd), unix.TIOCSPTLCK, 0))
	})
	if err = errors.Join(err, failed); err != nil {
		t.Skip(err)
	}
	if slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0); err != nil {
		t.Skip(err)
	}
	return master, slave
}
