//go:build unix

package weft_test

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// suite is a script that runs steps as the script test does.
const suite = `set -euo pipefail
. "$STEPS"
good() { echo fine; }
lacking() { echo "SKIPPED: there is no program; install it"; }
bad() { false; echo "not reached"; }
# One child in a group of its own, and one whose parent is gone.
long() {
	setsid sleep 1000 &
	echo "child $!"
	sh -c 'sleep 1000 & echo "child $!"'
	echo waiting
	sleep 1000
}
`

// suiteOf returns a command that runs a suite of steps.
func suiteOf(t *testing.T, cache, steps string) *exec.Cmd {
	t.Helper()
	lib, err := filepath.Abs(".ci/steps.bash")
	if err != nil {
		t.Fatal(err)
	}
	script := filepath.Join(t.TempDir(), "suite")
	if err := os.WriteFile(script, []byte(suite+"run_steps '"+cache+"' "+steps+"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	c := exec.Command("/bin/bash", script)
	c.Env = append(os.Environ(), "STEPS="+lib)
	return c
}

// took is how long a suite, or a step that passed, has run.
var took = regexp.MustCompile(`(after|last time) 0 min 0\d s`)

// TestSteps runs suites of steps that pass, fail, or lack something.
func TestSteps(t *testing.T) {
	cache := t.TempDir()
	run := func(steps string) (string, int) {
		t.Helper()
		out, err := suiteOf(t, cache, steps).CombinedOutput()
		if _, exited := err.(*exec.ExitError); err != nil && !exited {
			t.Fatal(err)
		}
		code := 0
		if err != nil {
			code = err.(*exec.ExitError).ExitCode()
		}
		return took.ReplaceAllString(string(out), "$1 0 min 00 s"), code // on a busy machine it takes longer
	}
	ends := func(out, last string) {
		t.Helper()
		if !regexp.MustCompile(`\n== ` + last + "\n$").MatchString(out) {
			t.Errorf("it ends with another line than %q:\n%s", last, out)
		}
	}
	const after = ` after \d+ min \d\d s: `

	out, code := run(`"the first" good "the second" lacking "the third" good`)
	ends(out, "passed"+after+"2 passed, 0 failed, 1 skipped")
	for _, want := range []string{"== 1 of 3, after 0 min 00 s: the first (about 0 min 00 s left, and that of 3 not timed yet)\nfine\n", "\nSKIPPED: there is no program; install it\n== passed"} {
		if !strings.Contains(out, want) || code != 0 {
			t.Errorf("exit code %d, and no %q in\n%s", code, want, out)
		}
	}

	// The times of steps that passed are known.
	if err := os.WriteFile(filepath.Join(cache, "good"), []byte("75\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(cache, "lacking"), []byte("nonsense\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	out, code = run(`"the first" good "the second" bad "the third" good`)
	if code != 1 || strings.Contains(out, "not reached") {
		t.Errorf("it exits with %d:\n%s", code, out)
	}
	ends(out, "failed"+after+"1 passed, 1 failed, 0 skipped, 1 not run")
	if want := "== 1 of 3, after 0 min 00 s: the first (last time 1 min 15 s; about 2 min 30 s left, and that of 1 not timed yet)"; !strings.Contains(out, want) {
		t.Errorf("no %q in\n%s", want, out)
	}
	if !strings.Contains(out, "\nFAILED: the second\n") {
		t.Errorf("it does not name what failed:\n%s", out)
	}
	if text, err := os.ReadFile(filepath.Join(cache, "good")); err != nil || !regexp.MustCompile("^\\d\n$").Match(text) { // not 75 any more
		t.Errorf("the time of the step is %q, %v", text, err)
	}
}

// TestStoppedSteps: with the script, all that it started stops.
func TestStoppedSteps(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("what has left its process group is found by /proc")
	}
	for sig, code := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143} {
		c := suiteOf(t, t.TempDir(), `"the first" good "the second" long`)
		stdout, err := c.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		var children []int
		lines := bufio.NewScanner(stdout)
		for lines.Scan() && lines.Text() != "waiting" {
			if text, ok := strings.CutPrefix(lines.Text(), "child "); ok {
				pid, err := strconv.Atoi(text)
				if err != nil {
					t.Fatal(err)
				}
				children = append(children, pid)
			}
		}
		if len(children) != 2 {
			t.Fatalf("children: %v", children)
		}
		if err := c.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		rest := make(chan string)
		go func() {
			var b strings.Builder
			for lines.Scan() {
				b.WriteString(lines.Text() + "\n")
			}
			_, _ = io.Copy(io.Discard, stdout)
			rest <- b.String()
		}()
		var out string
		select {
		case out = <-rest:
		case <-time.After(time.Minute):
			_ = c.Process.Kill()
			t.Fatal("it does not stop")
		}
		if err := c.Wait(); c.ProcessState.ExitCode() != code {
			t.Errorf("after %v it exits with %v", sig, err)
		}
		if !regexp.MustCompile(`\n== stopped after .*: 1 passed, 0 failed, 0 skipped, 1 not run\n$`).MatchString("\n" + out) {
			t.Errorf("it ends with\n%s", out)
		}
		for _, pid := range children {
			if err := syscall.Kill(pid, 0); err == nil && !isZombie(pid) {
				t.Errorf("process %d lives on after %v", pid, sig)
			}
		}
	}
}

// isZombie tells whether a process has ended and waits for its parent.
func isZombie(pid int) bool {
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return true
	}
	_, state, _ := strings.Cut(string(text), ") ")
	return strings.HasPrefix(state, "Z")
}
