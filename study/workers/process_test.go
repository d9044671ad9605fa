//go:build unix

package workers

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"weft/study"
)

const roleVariable = "WEFT_WORKERS_TEST_ROLE"

func TestMain(m *testing.M) {
	switch role := os.Getenv(roleVariable); role {
	case "":
		os.Exit(m.Run())
	case "child":
		if err := Serve(context.Background(), os.Stdin, os.Stdout, run); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	case "parent":
		p, err := Start(context.Background(), command("child"))
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Println(p.Pid())
		_, _ = p.Run(context.Background(), do("hang"), func(float64) {})
	case "prints":
		fmt.Println("hello, this is no worker")
		time.Sleep(time.Minute)
	case "closes":
		os.Stdout.Close()
		time.Sleep(time.Minute)
	default:
		fmt.Fprintln(os.Stderr, "unknown role", role)
		os.Exit(7)
	}
}

func command(role string) Command {
	return func(env []string) *exec.Cmd {
		c := exec.Command(os.Args[0])
		c.Env = append(append(os.Environ(), roleVariable+"="+role), env...)
		return c
	}
}

// run does what the key of the task says.
func run(ctx context.Context, t study.Task, progress func(float64)) ([]byte, *study.Failure) {
	switch what, _, _ := strings.Cut(t.Key, " "); what {
	case "hang":
		select {} // it does not heed its context
	case "exit":
		fmt.Fprintln(os.Stderr, "cannot go on")
		os.Exit(3)
	case "memory":
		fmt.Fprintln(os.Stderr, "fatal error: runtime: out of memory")
		os.Exit(2)
	case "orphan":
		// A child of its own holds its standard output open.
		c := exec.Command("sleep", "60")
		c.Stdout = os.Stdout
		if err := c.Start(); err != nil {
			return nil, &study.Failure{Message: err.Error()}
		}
		fmt.Fprintln(os.Stderr, c.Process.Pid)
		self, _ := os.FindProcess(os.Getpid())
		_ = self.Kill()
		select {}
	case "progress":
		for end := time.Now().Add(3 * progressEvery); time.Now().Before(end); {
			progress(0.25)
		}
	}
	return []byte("did " + t.Key), nil
}

func do(what string) []byte {
	b, err := json.Marshal(study.Task{Key: what})
	if err != nil {
		panic(err)
	}
	return b
}

func begin(t *testing.T) *Process {
	t.Helper()
	p, err := Start(t.Context(), command("child"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

func TestTasksOneAfterAnother(t *testing.T) {
	p := begin(t)
	for i := range 100 {
		what := fmt.Sprintf("something %d", i)
		r, err := p.Run(t.Context(), do(what), func(float64) {})
		if err != nil || string(r.Packed) != "did "+what || r.Failure != nil || r.Took < 0 {
			t.Fatalf("got %+v, %v", r, err)
		}
	}
	r, err := p.Run(t.Context(), []byte("{"), func(float64) {})
	if err != nil || r.Failure == nil || !r.Failure.Permanent || r.Packed != nil {
		t.Errorf("a task that is none: %+v, %v", r, err)
	}
}

func TestProgressIsToldNowAndThen(t *testing.T) {
	p := begin(t)
	n := 0
	if _, err := p.Run(t.Context(), do("progress"), func(share float64) {
		if n++; share != 0.25 {
			t.Errorf("share %v", share)
		}
	}); err != nil {
		t.Fatal(err)
	}
	if n < 1 || n > 3 {
		t.Errorf("told %d times", n)
	}
}

func TestWhyAProcessDied(t *testing.T) {
	for what, want := range map[string]Died{
		"exit":   {Why: "exit status 3", Stderr: "cannot go on"},
		"memory": {Why: "exit status 2", Stderr: "fatal error: runtime: out of memory"},
	} {
		p := begin(t)
		_, err := p.Run(t.Context(), do(what), func(float64) {})
		var got *Died
		if !errors.As(err, &got) || *got != want {
			t.Errorf("%s: got %+v", what, err)
		}
		<-p.Exited()
	}
}

func TestADeathIsSeenThoughThePipeStaysOpen(t *testing.T) {
	p := begin(t)
	_, err := p.Run(t.Context(), do("orphan"), func(float64) {})
	var got *Died
	if !errors.As(err, &got) || !strings.HasPrefix(got.Why, "killed by signal 9") {
		t.Errorf("got %v", err)
	}
	var pid int
	if _, err := fmt.Sscan(p.stderr.String(), &pid); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Error(err)
	}
}

func TestAnAbandonedRunEndsWithItsProcess(t *testing.T) {
	p := begin(t)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(10*time.Millisecond, cancel)
	if _, err := p.Run(ctx, do("hang"), func(float64) {}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	<-p.Exited()
}

func TestWhatIsNoWorkerIsRefused(t *testing.T) {
	for role, says := range map[string]string{
		"prints": "starts none",
		"closes": "closed its standard output",
		"other":  "exit status 7: unknown role other",
	} {
		p, err := Start(t.Context(), command(role))
		if err == nil {
			p.Close()
		}
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: got %v", role, err)
		}
	}
}

// The child is stuck in a run when its parent is killed.
func TestAChildDiesWithItsParent(t *testing.T) {
	parent := command("parent")(nil)
	out, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	var pid int
	_, scanErr := fmt.Fscan(out, &pid)
	_ = parent.Process.Kill()
	_ = parent.Wait()
	if scanErr != nil {
		t.Fatal(scanErr)
	}
	for end := time.Now().Add(10 * time.Second); !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH); {
		if time.Now().After(end) {
			t.Fatalf("child %d lives on", pid)
		}
		time.Sleep(time.Millisecond)
	}
}

// Without the system's help the end of its input tells a child.
func TestServeEndsWithItsInput(t *testing.T) {
	in, feed := io.Pipe()
	var out bytes.Buffer
	begun, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		ended <- Serve(context.Background(), in, &out, func(ctx context.Context, _ study.Task, _ func(float64)) ([]byte, *study.Failure) {
			close(begun)
			<-ctx.Done()
			return []byte("half"), nil
		})
	}()
	if err := writeFrame(bufio.NewWriter(feed), kindTask, do("something")); err != nil {
		t.Fatal(err)
	}
	<-begun
	feed.Close()
	if err := <-ended; err == nil {
		t.Error("a run was abandoned, and nothing said so")
	}
	if strings.Contains(out.String(), "half") {
		t.Errorf("an abandoned run has a result: %q", out.String())
	}
}

func TestAnExcerptKeepsBothEnds(t *testing.T) {
	var e excerpt
	fmt.Fprintln(&e, "panic: first")
	for i := range 10_000 {
		fmt.Fprintln(&e, i)
	}
	fmt.Fprintln(&e, "exit status 2")
	got := e.String()
	if !strings.HasPrefix(got, "panic: first\n0\n") || !strings.HasSuffix(got, "9999\nexit status 2") || !strings.Contains(got, "[…]") || len(got) > 3*excerptHalf {
		t.Errorf("%d bytes: %.100s", len(got), got)
	}
}

func FuzzFrames(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{1, 0, 0, 0, 'R'})
	f.Add([]byte{5, 0, 0, 0, 'T', '{', '}', ' '})
	f.Add([]byte{0xff, 0xff, 0xff, 0x3f, 'E', 0})
	f.Add([]byte{0, 0, 0, 0, 'E'})
	f.Fuzz(func(t *testing.T, b []byte) {
		k, body, err := readFrame(bufio.NewReader(bytes.NewReader(b)))
		if err != nil {
			return
		}
		var out bytes.Buffer
		if err := writeFrame(bufio.NewWriter(&out), k, body); err != nil {
			t.Fatal(err)
		}
		if !bytes.HasPrefix(b, out.Bytes()) {
			t.Errorf("%q is read and written as %q", b, out.Bytes())
		}
		if k == kindEnded {
			_, _ = decodeResult(body)
		}
	})
}
