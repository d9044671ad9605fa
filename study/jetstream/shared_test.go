//go:build unix

package jetstream

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"weft/study"
)

// serve runs a server in this process until the test ends.
func serve(t testing.TB, o ServeOptions) (url string) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ready, ended := make(chan string, 1), make(chan error, 1)
	o.Ready = func(s Served) { ready <- s.URL }
	if o.Dir == "" {
		o.Dir = t.TempDir()
	}
	if o.Listen == "" {
		o.Listen = "127.0.0.1:0"
	}
	go func() { ended <- Serve(ctx, o) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	select {
	case url := <-ready:
		return url
	case err := <-ended:
		ended <- nil
		t.Fatal(err)
	}
	return ""
}

// work runs workers under a supervisor in this process until the test ends.
func work(t testing.TB, o WorkerOptions) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	if o.Program == "" {
		o.Program = "weft test"
	}
	if o.Workers == 0 {
		o.Workers = 1
	}
	o.Command = helper("child")
	go func() { ended <- Work(ctx, o) }()
	stopped := false
	stop = func() {
		if stopped {
			return
		}
		stopped = true
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	t.Cleanup(stop)
	return stop
}

func sharedOptions(url string) Options {
	return Options{URL: url, Study: "test", Program: "weft test", AckWait: time.Second}
}

// startServer runs a server as a process of its own.
func startServer(t testing.TB, o serverJob) (*program, string) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	p := start(t, "server", o, func(c *exec.Cmd) { c.Stdout = w })
	w.Close()
	url, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		t.Fatalf("the server did not start: %v, %s", err, p.stderr)
	}
	return p, strings.TrimSpace(url)
}

func freePort(t testing.TB) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// All are processes of their own, and one with a run in hand is killed.
func TestAMachineThatDiesIsReplaced(t *testing.T) {
	_, url := startServer(t, serverJob{Dir: t.TempDir(), Listen: "127.0.0.1:0"})
	go1 := filepath.Join(t.TempDir(), "go")
	list := tasks(t, 20, play{})
	list[0] = task(t, list[0].Key, play{Wait: go1})
	first := start(t, "worker", workerJob{URL: url, Program: "weft test", Workers: 1})
	w := newWatcher(t)
	child := 0
	w.onBegan = func(key, name string) {
		if key == list[0].Key && child == 0 {
			_, pid, _ := strings.Cut(name, "/")
			child, _ = strconv.Atoi(pid)
			first.kill()
			write(t, go1, "")
			start(t, "worker", workerJob{URL: url, Program: "weft test", Workers: 1})
		}
	}
	if err := New(sharedOptions(url)).Execute(timeout(t, 30*time.Second), list, w); err != nil {
		t.Fatal(err)
	}
	w.wantResults(list)
	eventually(t, "the worker died with its supervisor", func() bool { return errors.Is(syscall.Kill(child, 0), syscall.ESRCH) })
	if n := w.outcomes[list[0].Key].Attempts; n < 1 || n > 2 {
		t.Errorf("%d attempts", n)
	}
}

func TestAMachineThatStopsGivesBack(t *testing.T) {
	url := serve(t, ServeOptions{})
	o := sharedOptions(url)
	o.AckWait = time.Hour
	dir := t.TempDir()
	list := []study.Task{task(t, "a", play{Wait: dir + "/go"}), task(t, "b", play{Wait: dir + "/go"})}
	stop := work(t, WorkerOptions{URL: url})
	w := newWatcher(t)
	begun := 0
	w.onBegan = func(string, string) {
		if begun++; begun == 1 {
			stop()
			write(t, dir+"/go", "")
			work(t, WorkerOptions{URL: url})
		}
	}
	if err := New(o).Execute(timeout(t, 30*time.Second), list, w); err != nil {
		t.Fatal(err)
	}
	w.wantResults(list)
	if len(w.lost) != 1 || !strings.HasSuffix(w.lost[0], "the worker was stopped") {
		t.Errorf("lost: %q", w.lost)
	}
}

// queueAt returns the queue of a server, over a connection of the test's own.
func queueAt(t *testing.T, url string) *queue {
	t.Helper()
	c, err := nats.Connect(withPrivateTokens(url))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	q, err := newQueue(c, url, false)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// What the workers do while nobody coordinates is not done again.
func TestWorkersGoOnWhileTheCoordinatorIsGone(t *testing.T) {
	url := serve(t, ServeOptions{})
	dir := t.TempDir()
	all := tasks(t, 12, play{Log: dir + "/log"})
	all[0] = task(t, all[0].Key, play{Wait: dir + "/go", Log: dir + "/log"})
	j := coordinatorJob{URL: url, Store: dir + "/store", Tasks: all, AckWait: time.Second}
	work(t, WorkerOptions{URL: url, Workers: 1})
	work(t, WorkerOptions{URL: url, Workers: 1})
	p := start(t, "coordinator", j)
	eventually(t, "some runs have ended", func() bool { return len(lines(t, j.Store)) > 0 })
	q := queueAt(t, url)
	ctx := timeout(t, 20*time.Second)
	eventually(t, "all tasks have been sent", func() bool {
		s, err := q.js.Stream(ctx, taskStream)
		return err == nil && s.CachedInfo().State.LastSeq >= uint64(len(all))
	})
	p.kill()
	eventually(t, "all but one have been begun", func() bool { return len(lines(t, dir+"/log")) == len(all) })
	kept := lines(t, j.Store)
	rest := slices.DeleteFunc(slices.Clone(all), func(t study.Task) bool { return slices.Contains(kept, t.Key) })
	w := newWatcher(t)
	o := sharedOptions(url)
	o.AckWait = j.AckWait
	go func() {
		// The one that is in hand outlasts AckWait.
		time.Sleep(2 * o.AckWait)
		_ = os.WriteFile(dir+"/go", nil, 0o644)
	}()
	if err := New(o).Execute(timeout(t, 30*time.Second), rest, w); err != nil {
		t.Fatal(err)
	}
	w.wantResults(rest)
	if n := len(lines(t, dir+"/log")); n != len(all) {
		t.Errorf("%d runs were begun %d times", len(all), n)
	}
}

func TestTasksThatNobodyWantsAreRemoved(t *testing.T) {
	url := serve(t, ServeOptions{})
	dir := t.TempDir()
	// A killed coordinator leaves all that it sent.
	j := coordinatorJob{URL: url, Store: dir + "/store", Tasks: tasks(t, 10, play{Log: dir + "/log"})}
	p := start(t, "coordinator", j)
	q := queueAt(t, url)
	ctx := timeout(t, 20*time.Second)
	queued := func() int {
		there, err := q.present(ctx, taskStream, taskSubjects+">")
		if err != nil {
			return -1
		}
		return len(there)
	}
	eventually(t, "all are queued", func() bool { return queued() == 10 })
	p.kill()

	list := j.Tasks[:3]
	w := newWatcher(t)
	w.onBegan = func(string, string) {}
	work(t, WorkerOptions{URL: url, Program: "another"})
	go func() {
		eventually(t, "the others are removed", func() bool { return queued() == 3 })
		work(t, WorkerOptions{URL: url})
	}()
	if err := New(sharedOptions(url)).Execute(ctx, list, w); err != nil {
		t.Fatal(err)
	}
	w.wantResults(list)
	if n := len(lines(t, dir+"/log")); n != 3 || queued() != 0 {
		t.Errorf("%d were begun, %d stay", n, queued())
	}

	// One that is stopped takes back what nobody has begun.
	w = newWatcher(t)
	stopping, cancel := context.WithCancel(ctx)
	w.onBegan = func(string, string) { cancel() }
	if err := New(sharedOptions(url)).Execute(stopping, tasks(t, 10, play{Sleep: 100}), w); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	eventually(t, "none stay", func() bool { return queued() == 0 })
}

func TestAnotherProgramGetsNothing(t *testing.T) {
	url := serve(t, ServeOptions{})
	log := filepath.Join(t.TempDir(), "log")
	work(t, WorkerOptions{URL: url, Program: "weft of old", Workers: 2})
	list := tasks(t, 3, play{Log: log})
	w := newNoticeWatcher(t)
	go func() {
		<-w.noticed
		if n := len(lines(t, log)); n > 0 {
			t.Errorf("%d runs were begun by another program", n)
		}
		work(t, WorkerOptions{URL: url})
	}()
	if err := New(sharedOptions(url)).Execute(timeout(t, 30*time.Second), list, w); err != nil {
		t.Fatal(err)
	}
	w.wantResults(list)
	if text := w.notices[0]; !strings.Contains(text, "weft worker --connect "+url) || !strings.Contains(text, "2 of weft of old on "+hostname()) {
		t.Errorf("notice: %s", text)
	}
}

// noticeWatcher closes noticed with its first notice.
type noticeWatcher struct {
	*watcher
	noticed chan struct{}
}

func newNoticeWatcher(t testing.TB) *noticeWatcher {
	return &noticeWatcher{newWatcher(t), make(chan struct{})}
}

func (w *noticeWatcher) Notice(text string) {
	if len(w.notices) == 0 {
		defer close(w.noticed)
	}
	w.watcher.Notice(text)
}

func TestInputsAndLargeResultsTravel(t *testing.T) {
	config := filepath.Join(t.TempDir(), "nats.conf")
	write(t, config, "max_payload: 1MB\njetstream {}\n")
	url := serve(t, ServeOptions{Config: config})
	dir := t.TempDir()
	content := bytes.Repeat([]byte("0123456789abcdef"), 5<<20/16)
	input := filepath.Join(dir, "trace.csv")
	write(t, input, string(content))
	hash, err := newInputs("").hash(input)
	if err != nil {
		t.Fatal(err)
	}
	list := []study.Task{task(t, "a", play{Read: input}), task(t, "b", play{Read: input})}
	for i := range list {
		list[i].Inputs = []study.Input{{Path: input, SHA256: hash}}
	}
	q := queueAt(t, url)
	ctx := timeout(t, 30*time.Second)
	go func() {
		eventually(t, "the tasks are there", func() bool {
			there, _ := q.present(ctx, taskStream, taskSubjects+">")
			return len(there) == 2
		})
		// The worker's machine has another file of that name.
		_ = os.WriteFile(input, []byte("something else"), 0o644)
		work(t, WorkerOptions{URL: url, Cache: filepath.Join(dir, "cache")})
	}()
	w := newWatcher(t)
	if err := New(sharedOptions(url)).Execute(ctx, list, w); err != nil {
		t.Fatal(err)
	}
	for _, task := range list {
		if o := w.outcomes[task.Key]; o.Failure != nil || !bytes.Equal(o.Result, content) {
			t.Errorf("%s: %v, %d bytes", task.Key, o.Failure, len(o.Result))
		}
	}
	for name := range q.js.StreamNames(ctx).Name() {
		if strings.HasPrefix(name, "OBJ_") {
			t.Errorf("%s stays", name)
		}
	}
}

// The server is killed in the middle and comes back.
func TestAServerThatIsLostIsWaitedFor(t *testing.T) {
	o := serverJob{Dir: t.TempDir(), Listen: freePort(t)}
	server, url := startServer(t, o)
	list := tasks(t, 40, play{Sleep: 20})
	start(t, "worker", workerJob{URL: url, Program: "weft test", Workers: 2})
	w := newWatcher(t)
	w.onEnded = func(study.Outcome) error {
		if len(w.outcomes) == 10 {
			server.kill()
			server, _ = startServer(t, o)
		}
		return nil
	}
	if err := New(sharedOptions(url)).Execute(timeout(t, 30*time.Second), list, w); err != nil {
		t.Fatal(err)
	}
	w.wantResults(list)
	said := strings.Join(w.notices, "\n")
	if !strings.Contains(said, "is lost") || !strings.Contains(said, "connected to "+url+" again") {
		t.Errorf("notices: %q", w.notices)
	}
}

// A server that forgets everything gets it again.
func TestAServerThatForgetsGetsItAgain(t *testing.T) {
	o := serverJob{Dir: t.TempDir(), Listen: freePort(t)}
	server, url := startServer(t, o)
	list := tasks(t, 10, play{Sleep: 20})
	w := newWatcher(t)
	start(t, "worker", workerJob{URL: url, Program: "weft test", Workers: 1})
	w.onEnded = func(study.Outcome) error {
		if len(w.outcomes) == 3 {
			server.kill()
			o.Dir = t.TempDir()
			server, _ = startServer(t, o)
		}
		return nil
	}
	if err := New(sharedOptions(url)).Execute(timeout(t, 40*time.Second), list, w); err != nil {
		t.Fatal(err)
	}
	w.wantResults(list)
}

// A task that was fetched ahead does not wait for the end of a long run.
func TestNobodyHoardsTasks(t *testing.T) {
	dir := t.TempDir()
	list := tasks(t, 6, play{}) // short runs, after which tasks are fetched ahead
	list = append(list,
		task(t, "a", play{Sleep: 300}),
		task(t, "long", play{Wait: dir + "/go"}),
		// Each worker may fetch one of them ahead.
		task(t, "first", play{}),
		task(t, "second", play{}),
	)
	w := newWatcher(t)
	w.onEnded = func(o study.Outcome) error {
		if o.Key == "first" || o.Key == "second" {
			if w.outcomes["first"].Key != "" || w.outcomes["second"].Key != "" {
				return os.WriteFile(dir+"/go", nil, 0o644)
			}
		}
		return nil
	}
	if err := New(embeddedOptions(t)).Execute(timeout(t, 20*time.Second), list, w); err != nil {
		t.Fatal(err)
	}
	w.wantResults(list)
}

func TestOneCoordinatorExecutesAStudyOfAServer(t *testing.T) {
	url := serve(t, ServeOptions{})
	work(t, WorkerOptions{URL: url})
	w := newWatcher(t)
	w.onBegan = func(string, string) {
		if err := New(sharedOptions(url)).Execute(timeout(t, 20*time.Second), tasks(t, 1, play{}), newWatcher(t)); err == nil ||
			!strings.Contains(err.Error(), fmt.Sprintf("%s/%d", hostname(), os.Getpid())) {
			t.Errorf("the second: %v", err)
		}
	}
	if err := New(sharedOptions(url)).Execute(timeout(t, 20*time.Second), tasks(t, 1, play{}), w); err != nil {
		t.Fatal(err)
	}
}

func TestAFullServerIsTold(t *testing.T) {
	config := filepath.Join(t.TempDir(), "nats.conf")
	write(t, config, "max_payload: 1MB\njetstream {max_file_store: 1MB}\n")
	url := serve(t, ServeOptions{Config: config})
	w := newWatcher(t)
	list := tasks(t, 100, play{Until: strings.Repeat("x", 50_000)})
	err := New(sharedOptions(url)).Execute(timeout(t, 20*time.Second), list, w)
	if err == nil || !strings.Contains(err.Error(), "no room left") {
		t.Errorf("got %v", err)
	}
}

// A worker that begins at the same instant as a study leaves its AckWait as it is.
func TestWorkersLeaveTheAckWait(t *testing.T) {
	q := queueAt(t, serve(t, ServeOptions{}))
	ctx := timeout(t, 30*time.Second)
	if err := q.prepare(ctx); err != nil {
		t.Fatal(err)
	}
	for i := range 40 {
		program := strconv.Itoa(i)
		worker := make(chan error)
		go func() { worker <- q.workers(ctx, program, 0) }()
		if err := errors.Join(q.workers(ctx, program, time.Second), <-worker); err != nil {
			t.Fatal(err)
		}
		c, err := q.js.Consumer(ctx, taskStream, programConsumer(hashed(program)))
		if err != nil {
			t.Fatal(err)
		}
		if got := c.CachedInfo().Config.AckWait; got != time.Second {
			t.Fatalf("the server waits %v", got)
		}
	}
}
