package netns

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// self returns this binary as a program that enters namespaces, within those of the tests.
func self(what string) *exec.Cmd {
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), program+"="+what)
	cmd.Stderr = os.Stderr
	return cmd
}

func TestStatus(t *testing.T) {
	nested(t)
	for what, want := range map[string]int{"exit": 7, "die": 128 + 9, "": 0} {
		err := self(what).Run()
		var exit *exec.ExitError
		if got := 0; errors.As(err, &exit) && exit.ExitCode() != want || err == nil && got != want {
			t.Errorf("%s: %v, want %d", what, err, want)
		}
	}
}

// TestSignals: each signal arrives inside once, also those that a terminal would send to the group.
func TestSignals(t *testing.T) {
	nested(t)
	cmd := self("signals")
	// As a shell does it, so that this group is not hit.
	cmd.SysProcAttr = &unix.SysProcAttr{Setpgid: true}
	lines, wait := output(t, cmd)
	lines("ready")
	if err := unix.Kill(-cmd.Process.Pid, unix.SIGINT); err != nil {
		t.Fatal(err)
	}
	lines("interrupt")
	_ = cmd.Process.Signal(unix.SIGHUP)
	lines("hangup")
	_ = cmd.Process.Signal(unix.SIGTERM)
	lines("terminated")
	if err := wait(); err != nil {
		t.Error(err)
	}
}

// output starts a command. The first function reads one line, and fails if that is another
// than expected.
func output(t *testing.T, cmd *exec.Cmd) (line func(want string), wait func() error) {
	t.Helper()
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	in := bufio.NewReader(pipe)
	return func(want string) {
		t.Helper()
		if got, err := in.ReadString('\n'); strings.TrimSpace(got) != want {
			_ = cmd.Process.Kill()
			t.Fatalf("a line %q, %v, in place of %q", got, err, want)
		}
	}, cmd.Wait
}

// TestNothingIsLeft: however the outer process ends, no other stays.
func TestNothingIsLeft(t *testing.T) {
	nested(t)
	for _, c := range []struct {
		name   string
		signal unix.Signal
		line   string
	}{
		{"SIGTERM", unix.SIGTERM, "sleep %s & echo ready; wait"},
		{"SIGKILL", unix.SIGKILL, "sleep %s & echo ready; wait"},
		{"SIGKILL, ignoring", unix.SIGKILL, "trap '' TERM HUP INT; (setsid sleep %s &) ; echo ready; while :; do sleep 1; done"},
		{"end", 0, "setsid sleep %s & echo ready"},
	} {
		t.Run(c.name, func(t *testing.T) {
			mine := fmt.Sprintf("8%d", time.Now().UnixNano()%1e9)
			cmd := self("host " + fmt.Sprintf(c.line, mine))
			// The command line of all stages has a text of its own.
			cmd.Args = []string{"emulator", "-" + mine}
			line, wait := output(t, cmd)
			line("ready")
			if n := len(having(mine)); n < 4 && c.signal != 0 {
				t.Errorf("%d processes run", n)
			}
			if c.signal != 0 {
				_ = cmd.Process.Signal(c.signal)
			}
			err := wait()
			t.Logf("ended: %v", err)
			gone(t, mine)
		})
	}
}

// TestRefused: in a namespace that allows no further ones, the error says so.
func TestRefused(t *testing.T) {
	nested(t)
	for _, k := range kinds {
		path := "/proc/sys/" + strings.ReplaceAll(k.limit, ".", "/")
		was, err := os.ReadFile(path)
		if err != nil {
			t.Skip(err)
		}
		if err := os.WriteFile(path, []byte("0"), 0); err != nil {
			t.Skip(err)
		}
		err = Available()
		_ = os.WriteFile(path, was, 0)
		var m *missingError
		switch {
		case k.name == "user":
			// Root of here needs none.
			if err != nil {
				t.Errorf("%s: %v", k.name, err)
			}
			withoutUsers(t, path, was)
		case !errors.As(err, &m) || m.Kind != k.name+" namespaces" || !strings.Contains(err.Error(), k.limit) || !errors.Is(err, unix.ENOSPC):
			t.Errorf("%s: %v", k.name, err)
		default:
			t.Log(err)
		}
	}
	if err := Available(); err != nil {
		t.Error(err)
	}
}

// withoutUsers: root enters where there are no namespaces of users.
func withoutUsers(t *testing.T, limit string, was []byte) {
	t.Helper()
	if err := os.WriteFile(limit, []byte("0"), 0); err != nil {
		t.Fatal(err)
	}
	out, err := self("host readlink /proc/self/ns/user; cat /proc/sys/kernel/hostname").Output()
	_ = os.WriteFile(limit, was, 0)
	here, _ := os.Readlink("/proc/self/ns/user")
	if err != nil || string(out) != here+"\nh0\n" {
		t.Errorf("root without user namespaces: %v, %s; here is %s", err, out, here)
	}
}
