package jetstream

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"time"

	"weft/study"
)

// Options of an engine.
type Options struct {
	// URL of the NATS server, several separated by commas. Empty is a server in
	// this process, which listens nowhere.
	URL string
	// Auth is how to present oneself to the server of the URL.
	Auth Auth
	// Dir is where the embedded server keeps its queue: a folder of the study that
	// nothing else uses. It is empty again when all tasks have ended.
	Dir string
	// Study tells studies apart that share a server.
	Study string
	// Program is the identity of this program. Tasks go to workers of the same
	// program only.
	Program string
	// Workers is how many processes to start on this machine. 0 is as many as it
	// has cores with the embedded server, and none with another.
	Workers int
	// Command makes the command of a worker process, which calls RunTasks. It gets
	// variables to add to the environment.
	Command func(env []string) *exec.Cmd
	// MaxAttempts is how often a run is begun whose process dies, or that fails
	// for want of something. 5 if it is 0.
	MaxAttempts int
	// AckWait is how long a worker may be silent before its task is given to
	// another. 30 s if it is 0.
	AckWait time.Duration
	// RetryDelay is how long a run that failed for want of something waits to be
	// repeated, twice as long each time. 500 ms if it is 0. A run whose process
	// died is repeated at once.
	RetryDelay time.Duration
	// ConnectTimeout is how long to look for the server. 10 s if it is 0.
	ConnectTimeout time.Duration
}

func (o Options) embedded() bool { return o.URL == "" }

func (o Options) withDefaults() (Options, error) {
	if o.Study == "" || o.Program == "" {
		return o, errors.New("jetstream: Options need Study and Program")
	}
	if o.Workers == 0 && o.embedded() {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if o.Workers < 0 {
		return o, fmt.Errorf("jetstream: %d workers are impossible", o.Workers)
	}
	if o.embedded() && o.Dir == "" {
		return o, errors.New("jetstream: the embedded server needs Options.Dir")
	}
	if o.Workers > 0 && o.Command == nil {
		return o, errors.New("jetstream: workers need Options.Command")
	}
	o.MaxAttempts = orDefault(o.MaxAttempts, 5)
	o.AckWait = orDefault(o.AckWait, defaultAckWait)
	o.RetryDelay = orDefault(o.RetryDelay, 500*time.Millisecond)
	o.ConnectTimeout = orDefault(o.ConnectTimeout, defaultConnectTimeout)
	return o, nil
}

const (
	defaultAckWait        = 30 * time.Second
	defaultConnectTimeout = 10 * time.Second
)

func orDefault[T int | time.Duration](v, standard T) T {
	if v == 0 {
		return standard
	}
	return v
}

// New returns an engine that executes tasks through NATS JetStream.
func New(o Options) study.Engine { return &engine{o} }

type engine struct{ options Options }

// Execute implements study.Engine.
func (e *engine) Execute(ctx context.Context, tasks []study.Task, w study.Watcher) error {
	o, err := e.options.withDefaults()
	if err != nil {
		return err
	}
	return execute(ctx, o, tasks, w)
}

// hostname names this machine to people.
var hostname = sync.OnceValue(func() string {
	name, err := os.Hostname()
	if err != nil || name == "" {
		return "localhost"
	}
	return name
})
