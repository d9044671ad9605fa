package jetstream

import (
	"context"
	"errors"
	"fmt"
	"time"

	"weft/study"
	"weft/study/remote"
	"weft/study/workers"
)

// Queue returns the queue of this package, for programs that include it.
func Queue() remote.Queue { return remote.Queue{Engine: New, Serve: Serve, Work: Work} }

func withDefaults(o remote.Options) (remote.Options, error) {
	if o.URL == "" || o.Study == "" || o.Program == "" {
		return o, errors.New("jetstream: Options need URL, Study and Program")
	}
	if o.Workers < 0 {
		return o, fmt.Errorf("jetstream: %d workers are impossible", o.Workers)
	}
	if o.Workers > 0 && o.Command == nil {
		return o, errors.New("jetstream: workers need Options.Command")
	}
	o.MaxAttempts = orDefault(o.MaxAttempts, workers.DefaultAttempts)
	o.AckWait = orDefault(o.AckWait, defaultAckWait)
	o.RetryDelay = orDefault(o.RetryDelay, workers.DefaultRetryDelay)
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
func New(o remote.Options) study.Engine { return &engine{o} }

type engine struct{ options remote.Options }

// Execute implements study.Engine.
func (e *engine) Execute(ctx context.Context, tasks []study.Task, w study.Watcher) error {
	o, err := withDefaults(e.options)
	if err != nil {
		return err
	}
	return execute(ctx, o, tasks, w)
}
