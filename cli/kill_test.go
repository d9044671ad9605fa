//go:build unix

package cli_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"weft/study"
)

const killedStudy = `weft: 1
name: killed
topology: {kind: fat-tree, tiers: 2, radix: 16, rate: 400Gbps}
traffic: [{name: flows, pattern: permutation, size: 2MiB}]
matrix:
  - {path: transport.balancer, values: [ops, arcane]}
  - {path: traffic.flows.size, values: [1MiB, 2MiB]}
seeds: 20
`

// TestKilledStudyIsWhole kills worker processes and the whole program with SIGKILL
// at random moments. Afterwards every run is there once, with the hash that it has
// in a study that nobody disturbed.
func TestKilledStudyIsWhole(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("looks for processes in /proc")
	}
	if testing.Short() {
		t.Skip("takes half a minute")
	}
	t.Parallel()
	weft := program(t, "weft")
	dir := t.TempDir()
	file := filepath.Join(dir, "study.yaml")
	if err := os.WriteFile(file, []byte(killedStudy), 0o666); err != nil {
		t.Fatal(err)
	}
	undisturbed, disturbed := filepath.Join(dir, "undisturbed"), filepath.Join(dir, "disturbed")
	run := func(args ...string) *exec.Cmd {
		c := exec.Command(weft, args...)
		c.Dir = dir
		return c
	}
	if out, err := run("study", "run", file, "--out", undisturbed, "--report=false").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}

	const hits, mustMeet = 24, 18
	random := rand.New(rand.NewPCG(1, 2))
	met := 0
	var c *exec.Cmd
	var output bytes.Buffer
	ended := make(chan error, 1)
	start := func() {
		output.Reset()
		c = run("study", "run", file, "--out", disturbed, "--report=false", "--workers", "2", "--attempts", "1000")
		c.Stdout, c.Stderr = &output, &output
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		go func() { ended <- c.Wait() }()
	}
	start()
	for n := 0; n < hits; {
		// Most hits wait until something runs; some may meet the beginning.
		for tries := 0; n%8 != 0 && tries < 50 && len(busyChildren(c.Process.Pid)) == 0; tries++ {
			time.Sleep(5 * time.Millisecond)
		}
		select {
		case err := <-ended:
			// It has finished: what is left to hit is what is taken away again.
			if err != nil {
				t.Fatalf("%v\n%s", err, output.String())
			}
			if out, err := run("runs", "remove", disturbed, "--where", "balancer=arcane").CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			start()
		case <-time.After(time.Duration(10+random.IntN(250)) * time.Millisecond):
			workers := busyChildren(c.Process.Pid)
			if len(workers) > 0 {
				met++
			}
			n++
			if n%2 == 0 || len(workers) == 0 {
				if err := c.Process.Kill(); err != nil {
					break // it has just ended
				}
				<-ended
				start()
				break
			}
			if err := syscall.Kill(workers[random.IntN(len(workers))], syscall.SIGKILL); err != nil {
				t.Logf("worker: %v", err)
			}
		}
	}
	if err := <-ended; err != nil {
		t.Fatalf("%v\n%s", err, output.String())
	}
	if out, err := run("study", "resume", disturbed, "--report=false").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%d of %d hits met a run in flight", met, hits)
	if met < mustMeet {
		t.Errorf("%d of %d hits met a run in flight, and %d should", met, hits, mustMeet)
	}
	compareStudies(t, undisturbed, disturbed)
}

// compareStudies demands that two folders hold the same runs, each once.
func compareStudies(t *testing.T, want, got string) {
	t.Helper()
	a, err := study.Open(want)
	if err != nil {
		t.Fatal(err)
	}
	b, err := study.Open(got)
	if err != nil {
		t.Fatal(err)
	}
	runs := a.Plan.Runs()
	for _, r := range runs {
		x, xok := a.Entry(r)
		y, yok := b.Entry(r)
		if !xok || !yok || x.Status != study.Done || y.Status != study.Done || x.Hash != y.Hash {
			t.Errorf("%s: %v %v in one study, %v %v in the other", a.Plan.RunName(r), x.Status, x.Hash, y.Status, y.Hash)
		}
		res, err := b.Result(r)
		if err != nil {
			t.Errorf("%s: %v", b.Plan.RunName(r), err)
		} else if res.Manifest.Hashes.Result != x.Hash {
			t.Errorf("%s: its file holds another result", b.Plan.RunName(r))
		}
	}
	files, err := filepath.Glob(filepath.Join(got, "runs", "*", "*"))
	if err != nil || len(files) != len(runs) {
		t.Errorf("the store has %d files for %d runs: %v", len(files), len(runs), err)
	}
}

// program returns a path of this test's executable under which it is weft.
func program(t *testing.T, name string) string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), name)
	if err := os.Symlink(exe, path); err != nil {
		t.Fatal(err)
	}
	return path
}

// busyChildren returns the children of a process that use the processor.
func busyChildren(parent int) []int {
	before := map[int]uint64{}
	children := func() (list []int) {
		stats, err := filepath.Glob("/proc/[0-9]*/stat")
		if err != nil {
			return nil
		}
		for _, path := range stats {
			pid, ppid, ticks, ok := statOf(path)
			if !ok || ppid != parent {
				continue
			}
			if old, known := before[pid]; known && ticks > old {
				list = append(list, pid)
			}
			if _, known := before[pid]; !known {
				before[pid] = ticks
			}
		}
		return list
	}
	children()
	for range 20 {
		time.Sleep(2 * time.Millisecond) // a tick of processor time is 10 ms
		if busy := children(); len(busy) > 0 {
			return busy
		}
	}
	return nil
}

// statOf reads a process's parent and processor time.
func statOf(path string) (pid, ppid int, ticks uint64, ok bool) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, 0, 0, false
	}
	// The name of the program stands in parentheses and may hold anything.
	i := strings.LastIndexByte(string(text), ')')
	fields := strings.Fields(string(text[i+1:]))
	if i < 0 || len(fields) < 13 {
		return 0, 0, 0, false
	}
	if pid, err = strconv.Atoi(filepath.Base(filepath.Dir(path))); err != nil {
		return 0, 0, 0, false
	}
	if ppid, err = strconv.Atoi(fields[1]); err != nil {
		return 0, 0, 0, false
	}
	for _, f := range fields[11:13] {
		var n uint64
		if _, err := fmt.Sscan(f, &n); err != nil {
			return 0, 0, 0, false
		}
		ticks += n
	}
	return pid, ppid, ticks, true
}
