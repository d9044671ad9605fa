//go:build unix

package jetstream

import (
	"bufio"
	"bytes"
	"context"
	"errors"
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
	"weft/study/internal/enginetest"
	"weft/study/remote"
	"weft/study/workers"
)

// serve runs a server in this process until the test ends.
func serve(t testing.TB, o remote.ServeOptions) (url string) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ready, ended := make(chan string, 1), make(chan error, 1)
	o.Ready = func(s remote.Served) { ready <- s.URL }
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
func work(t testing.TB, o remote.WorkerOptions) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	if o.Program == "" {
		o.Program = "weft test"
	}
	if o.Workers == 0 {
		o.Workers = 1
	}
	o.Command = enginetest.Helper(enginetest.Child)
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

func sharedOptions(url string) remote.Options {
	return remote.Options{URL: url, Study: "test", Program: "weft test", AckWait: time.Second}
}

// startServer runs a server as a process of its own.
func startServer(t testing.TB, o serverJob) (*enginetest.Program, string) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	p := enginetest.Start(t, "server", o, func(c *exec.Cmd) { c.Stdout = w })
	w.Close()
	url, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		t.Fatalf("the server did not start: %v, %s", err, p.Said())
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
	list := enginetest.Tasks(t, 20, enginetest.Play{})
	list[0] = enginetest.Task(t, list[0].Key, enginetest.Play{Wait: go1})
	first := enginetest.Start(t, "worker", workerJob{URL: url, Program: "weft test", Workers: 1})
	w := enginetest.NewWatcher(t)
	child := 0
	w.OnBegan = func(key, name string) {
		if key == list[0].Key && child == 0 {
			_, pid, _ := strings.Cut(name, "/")
			child, _ = strconv.Atoi(pid)
			first.Kill()
			write(t, go1, "")
			enginetest.Start(t, "worker", workerJob{URL: url, Program: "weft test", Workers: 1})
		}
	}
	if err := New(sharedOptions(url)).Execute(enginetest.Timeout(t, 30*time.Second), list, w); err != nil {
		t.Fatal(err)
	}
	w.WantResults(list)
	enginetest.Eventually(t, "the worker died with its supervisor", func() bool { return errors.Is(syscall.Kill(child, 0), syscall.ESRCH) })
	if n := w.Outcomes[list[0].Key].Attempts; n < 1 || n > 2 {
		t.Errorf("%d attempts", n)
	}
}

func TestAMachineThatStopsGivesBack(t *testing.T) {
	url := serve(t, remote.ServeOptions{})
	o := sharedOptions(url)
	o.AckWait = time.Hour
	dir := t.TempDir()
	list := []study.Task{enginetest.Task(t, "a", enginetest.Play{Wait: dir + "/go"}), enginetest.Task(t, "b", enginetest.Play{Wait: dir + "/go"})}
	stop := work(t, remote.WorkerOptions{URL: url})
	w := enginetest.NewWatcher(t)
	begun := 0
	w.OnBegan = func(string, string) {
		if begun++; begun == 1 {
			stop()
			write(t, dir+"/go", "")
			work(t, remote.WorkerOptions{URL: url})
		}
	}
	if err := New(o).Execute(enginetest.Timeout(t, 30*time.Second), list, w); err != nil {
		t.Fatal(err)
	}
	w.WantResults(list)
	if len(w.Losses) != 1 || !strings.HasSuffix(w.Losses[0], "the worker was stopped") {
		t.Errorf("lost: %q", w.Losses)
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
	q, err := newQueue(c, url)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// What the workers do while nobody coordinates is not done again.
func TestWorkersGoOnWhileTheCoordinatorIsGone(t *testing.T) {
	url := serve(t, remote.ServeOptions{})
	dir := t.TempDir()
	all := enginetest.Tasks(t, 12, enginetest.Play{Log: dir + "/log"})
	all[0] = enginetest.Task(t, all[0].Key, enginetest.Play{Wait: dir + "/go", Log: dir + "/log"})
	j := coordinatorJob{URL: url, Store: dir + "/store", Tasks: all, AckWait: time.Second}
	work(t, remote.WorkerOptions{URL: url, Workers: 1})
	work(t, remote.WorkerOptions{URL: url, Workers: 1})
	p := enginetest.Start(t, "coordinator", j)
	enginetest.Eventually(t, "some runs have ended", func() bool { return len(enginetest.Lines(t, j.Store)) > 0 })
	q := queueAt(t, url)
	ctx := enginetest.Timeout(t, 20*time.Second)
	enginetest.Eventually(t, "all tasks have been sent", func() bool {
		s, err := q.js.Stream(ctx, taskStream)
		return err == nil && s.CachedInfo().State.LastSeq >= uint64(len(all))
	})
	p.Kill()
	enginetest.Eventually(t, "all but one have been begun", func() bool { return len(enginetest.Lines(t, dir+"/log")) == len(all) })
	kept := enginetest.Lines(t, j.Store)
	rest := slices.DeleteFunc(slices.Clone(all), func(t study.Task) bool { return slices.Contains(kept, t.Key) })
	w := enginetest.NewWatcher(t)
	o := sharedOptions(url)
	o.AckWait = j.AckWait
	go func() {
		// The one that is in hand outlasts AckWait.
		time.Sleep(2 * o.AckWait)
		_ = os.WriteFile(dir+"/go", nil, 0o644)
	}()
	if err := New(o).Execute(enginetest.Timeout(t, 30*time.Second), rest, w); err != nil {
		t.Fatal(err)
	}
	w.WantResults(rest)
	if n := len(enginetest.Lines(t, dir+"/log")); n != len(all) {
		t.Errorf("%d runs were begun %d times", len(all), n)
	}
}

func TestTasksThatNobodyWantsAreRemoved(t *testing.T) {
	url := serve(t, remote.ServeOptions{})
	dir := t.TempDir()
	// A killed coordinator leaves all that it sent.
	j := coordinatorJob{URL: url, Store: dir + "/store", Tasks: enginetest.Tasks(t, 10, enginetest.Play{Log: dir + "/log"})}
	p := enginetest.Start(t, "coordinator", j)
	q := queueAt(t, url)
	ctx := enginetest.Timeout(t, 20*time.Second)
	queued := func() int {
		there, err := q.present(ctx, taskStream, taskSubjects+">")
		if err != nil {
			return -1
		}
		return len(there)
	}
	enginetest.Eventually(t, "all are queued", func() bool { return queued() == 10 })
	p.Kill()

	list := j.Tasks[:3]
	w := enginetest.NewWatcher(t)
	w.OnBegan = func(string, string) {}
	work(t, remote.WorkerOptions{URL: url, Program: "another"})
	go func() {
		enginetest.Eventually(t, "the others are removed", func() bool { return queued() == 3 })
		work(t, remote.WorkerOptions{URL: url})
	}()
	if err := New(sharedOptions(url)).Execute(ctx, list, w); err != nil {
		t.Fatal(err)
	}
	w.WantResults(list)
	if n := len(enginetest.Lines(t, dir+"/log")); n != 3 || queued() != 0 {
		t.Errorf("%d were begun, %d stay", n, queued())
	}

	// One that is stopped takes back what nobody has begun.
	w = enginetest.NewWatcher(t)
	stopping, cancel := context.WithCancel(ctx)
	w.OnBegan = func(string, string) { cancel() }
	if err := New(sharedOptions(url)).Execute(stopping, enginetest.Tasks(t, 10, enginetest.Play{Sleep: 100}), w); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	enginetest.Eventually(t, "none stay", func() bool { return queued() == 0 })
}

func TestAnotherProgramGetsNothing(t *testing.T) {
	url := serve(t, remote.ServeOptions{})
	log := filepath.Join(t.TempDir(), "log")
	work(t, remote.WorkerOptions{URL: url, Program: "weft of old", Workers: 2})
	list := enginetest.Tasks(t, 3, enginetest.Play{Log: log})
	w := newNoticeWatcher(t)
	go func() {
		<-w.noticed
		if n := len(enginetest.Lines(t, log)); n > 0 {
			t.Errorf("%d runs were begun by another program", n)
		}
		work(t, remote.WorkerOptions{URL: url})
	}()
	if err := New(sharedOptions(url)).Execute(enginetest.Timeout(t, 30*time.Second), list, w); err != nil {
		t.Fatal(err)
	}
	w.WantResults(list)
	if text := w.Notices[0]; !strings.Contains(text, "weft-queue worker --connect "+url) || !strings.Contains(text, "2 of weft of old on "+workers.Hostname()) {
		t.Errorf("notice: %s", text)
	}
}

// noticeWatcher closes noticed with its first notice.
type noticeWatcher struct {
	*enginetest.Watcher
	noticed chan struct{}
}

func newNoticeWatcher(t testing.TB) *noticeWatcher {
	return &noticeWatcher{enginetest.NewWatcher(t), make(chan struct{})}
}

func (w *noticeWatcher) Notice(text string) {
	if len(w.Notices) == 0 {
		defer close(w.noticed)
	}
	w.Watcher.Notice(text)
}

func TestInputsAndLargeResultsTravel(t *testing.T) {
	config := filepath.Join(t.TempDir(), "nats.conf")
	write(t, config, "max_payload: 1MB\njetstream {}\n")
	url := serve(t, remote.ServeOptions{Config: config})
	dir := t.TempDir()
	content := bytes.Repeat([]byte("0123456789abcdef"), 5<<20/16)
	input := filepath.Join(dir, "trace.csv")
	write(t, input, string(content))
	hash, err := newInputs("").files.Hash(input)
	if err != nil {
		t.Fatal(err)
	}
	list := []study.Task{enginetest.Task(t, "a", enginetest.Play{Read: input}), enginetest.Task(t, "b", enginetest.Play{Read: input})}
	for i := range list {
		list[i].Inputs = []study.Input{{Path: input, SHA256: hash}}
	}
	q := queueAt(t, url)
	ctx := enginetest.Timeout(t, 30*time.Second)
	go func() {
		enginetest.Eventually(t, "the tasks are there", func() bool {
			there, _ := q.present(ctx, taskStream, taskSubjects+">")
			return len(there) == 2
		})
		// The worker's machine has another file of that name.
		_ = os.WriteFile(input, []byte("something else"), 0o644)
		work(t, remote.WorkerOptions{URL: url, Cache: filepath.Join(dir, "cache")})
	}()
	w := enginetest.NewWatcher(t)
	if err := New(sharedOptions(url)).Execute(ctx, list, w); err != nil {
		t.Fatal(err)
	}
	for _, task := range list {
		if o := w.Outcomes[task.Key]; o.Failure != nil || !bytes.Equal(o.Result, content) {
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
	list := enginetest.Tasks(t, 40, enginetest.Play{Sleep: 20})
	enginetest.Start(t, "worker", workerJob{URL: url, Program: "weft test", Workers: 2})
	w := enginetest.NewWatcher(t)
	w.OnEnded = func(study.Outcome) error {
		if len(w.Outcomes) == 10 {
			server.Kill()
			server, _ = startServer(t, o)
		}
		return nil
	}
	if err := New(sharedOptions(url)).Execute(enginetest.Timeout(t, 30*time.Second), list, w); err != nil {
		t.Fatal(err)
	}
	w.WantResults(list)
	said := strings.Join(w.Notices, "\n")
	if !strings.Contains(said, "is lost") || !strings.Contains(said, "connected to "+url+" again") {
		t.Errorf("notices: %q", w.Notices)
	}
}

// A server that forgets everything gets it again.
func TestAServerThatForgetsGetsItAgain(t *testing.T) {
	o := serverJob{Dir: t.TempDir(), Listen: freePort(t)}
	server, url := startServer(t, o)
	list := enginetest.Tasks(t, 10, enginetest.Play{Sleep: 20})
	w := enginetest.NewWatcher(t)
	enginetest.Start(t, "worker", workerJob{URL: url, Program: "weft test", Workers: 1})
	w.OnEnded = func(study.Outcome) error {
		if len(w.Outcomes) == 3 {
			server.Kill()
			o.Dir = t.TempDir()
			server, _ = startServer(t, o)
		}
		return nil
	}
	if err := New(sharedOptions(url)).Execute(enginetest.Timeout(t, 40*time.Second), list, w); err != nil {
		t.Fatal(err)
	}
	w.WantResults(list)
}

// A task that was fetched ahead does not wait for the end of a long run.
func TestNobodyHoardsTasks(t *testing.T) {
	dir := t.TempDir()
	list := enginetest.Tasks(t, 6, enginetest.Play{}) // short runs, after which tasks are fetched ahead
	list = append(list,
		enginetest.Task(t, "a", enginetest.Play{Sleep: 300}),
		enginetest.Task(t, "long", enginetest.Play{Wait: dir + "/go"}),
		// Each worker may fetch one of them ahead.
		enginetest.Task(t, "first", enginetest.Play{}),
		enginetest.Task(t, "second", enginetest.Play{}),
	)
	w := enginetest.NewWatcher(t)
	w.OnEnded = func(o study.Outcome) error {
		if o.Key == "first" || o.Key == "second" {
			if w.Outcomes["first"].Key != "" || w.Outcomes["second"].Key != "" {
				return os.WriteFile(dir+"/go", nil, 0o644)
			}
		}
		return nil
	}
	if err := New(ownWorkers(serve(t, remote.ServeOptions{}))).Execute(enginetest.Timeout(t, 20*time.Second), list, w); err != nil {
		t.Fatal(err)
	}
	w.WantResults(list)
}

func TestOneCoordinatorExecutesAStudyOfAServer(t *testing.T) {
	url := serve(t, remote.ServeOptions{})
	work(t, remote.WorkerOptions{URL: url})
	w := enginetest.NewWatcher(t)
	w.OnBegan = func(string, string) {
		if err := New(sharedOptions(url)).Execute(enginetest.Timeout(t, 20*time.Second), enginetest.Tasks(t, 1, enginetest.Play{}), enginetest.NewWatcher(t)); err == nil ||
			!strings.Contains(err.Error(), workers.Name(os.Getpid())) {
			t.Errorf("the second: %v", err)
		}
	}
	if err := New(sharedOptions(url)).Execute(enginetest.Timeout(t, 20*time.Second), enginetest.Tasks(t, 1, enginetest.Play{}), w); err != nil {
		t.Fatal(err)
	}
}

func TestAFullServerIsTold(t *testing.T) {
	config := filepath.Join(t.TempDir(), "nats.conf")
	write(t, config, "max_payload: 1MB\njetstream {max_file_store: 1MB}\n")
	url := serve(t, remote.ServeOptions{Config: config})
	w := enginetest.NewWatcher(t)
	list := enginetest.Tasks(t, 100, enginetest.Play{Until: strings.Repeat("x", 50_000)})
	err := New(sharedOptions(url)).Execute(enginetest.Timeout(t, 20*time.Second), list, w)
	if err == nil || !strings.Contains(err.Error(), "no room left") {
		t.Errorf("got %v", err)
	}
}

// A worker that begins at the same instant as a study leaves its AckWait as it is.
func TestWorkersLeaveTheAckWait(t *testing.T) {
	q := queueAt(t, serve(t, remote.ServeOptions{}))
	ctx := enginetest.Timeout(t, 30*time.Second)
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
