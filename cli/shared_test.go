//go:build unix

package cli_test

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestSharedServer executes a study through a server that is a process of its own,
// with two machines' worth of workers, one of which is killed on the way. The
// results are those of a study on one machine.
func TestSharedServer(t *testing.T) {
	if testing.Short() {
		t.Skip("waits until the server misses the worker that was killed, half a minute")
	}
	t.Parallel()
	weft := program(t, "weft-queue")
	dir := t.TempDir()
	file := filepath.Join(dir, "study.yaml")
	if err := os.WriteFile(file, []byte(strings.Replace(killedStudy, "seeds: 20", "seeds: 10", 1)), 0o666); err != nil {
		t.Fatal(err)
	}
	start := func(args ...string) *exec.Cmd {
		c := exec.Command(weft, args...)
		c.Dir, c.Stderr = dir, new(bytes.Buffer)
		c.Env = append(os.Environ(), "XDG_CONFIG_HOME="+filepath.Join(dir, "config")) // of tokens
		return c
	}
	begin := func(c *exec.Cmd) {
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = c.Process.Kill() // it may have ended
			_ = c.Wait()
		})
	}

	server := start("serve", "--listen", "127.0.0.1:0", "--dir", filepath.Join(dir, "streams"))
	said, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	begin(server)
	line, err := bufio.NewReader(said).ReadString('\n')
	if err != nil {
		t.Fatalf("%v\n%s", err, server.Stderr)
	}
	url, _, ok := strings.Cut(strings.TrimPrefix(line, "listening at "), ";")
	if !ok {
		t.Fatalf("the server says %q", line)
	}
	doomed, other := start("worker", "--connect", url, "--workers", "1"), start("worker", "--connect", url, "--workers", "1")
	begin(doomed)
	begin(other)

	shared := start("study", "run", file, "--engine", url, "--out", "shared", "--report=false")
	done := make(chan error, 1)
	if err := shared.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { done <- shared.Wait() }()
	t.Cleanup(func() { _ = shared.Process.Kill() })
	for deadline := time.Now().Add(30 * time.Second); len(busyChildren(doomed.Process.Pid)) == 0; {
		if time.Now().After(deadline) {
			t.Fatalf("no run began\n%s\n%s", shared.Stderr, doomed.Stderr)
		}
	}
	if err := doomed.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-done:
		if err != nil {
			t.Fatalf("%v\n%s", err, shared.Stderr)
		}
	case <-time.After(3 * time.Minute):
		t.Fatalf("the study did not end\n%s\n%s", shared.Stderr, other.Stderr)
	}

	alone := start("study", "run", file, "--out", "alone", "--report=false")
	if err := alone.Run(); err != nil {
		t.Fatalf("%v\n%s", err, alone.Stderr)
	}
	compareStudies(t, filepath.Join(dir, "alone"), filepath.Join(dir, "shared"))
}
