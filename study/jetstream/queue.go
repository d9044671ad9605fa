package jetstream

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	js "github.com/nats-io/nats.go/jetstream"
)

const (
	requestTimeout = 10 * time.Second
	// forgotten is the time after which the server drops an unused consumer. The messages
	// in the stream stay.
	forgotten = 7 * 24 * time.Hour
	// duplicates is how long the server remembers the ids of messages.
	duplicates = 2 * time.Minute
)

// queue gives access to a server's streams.
type queue struct {
	conn *nats.Conn
	js   js.JetStream
	// shown is the server's name for people.
	shown string
}

// patiently repeats a request to a server that does not answer, or cannot answer yet. The
// request must be idempotent.
func patiently(ctx context.Context, ask func(context.Context) error) error {
	var err error
	for i, most := range []time.Duration{requestTimeout / 5, requestTimeout / 2, requestTimeout} {
		if i > 0 && !errors.Is(err, context.DeadlineExceeded) {
			select {
			case <-ctx.Done():
				return err
			case <-time.After(most / 10):
			}
		}
		try, cancel := context.WithTimeout(ctx, most)
		err = ask(try)
		cancel()
		if err == nil || ctx.Err() != nil || !passing(err) {
			break
		}
	}
	return err
}

// passing reports whether an error may disappear when the request is repeated. A server
// that has just started may lose the answers to the first requests of a connection. A
// server that is still removing the files of a consumer cannot create another consumer of
// the same name.
func passing(err error) bool {
	var api *js.APIError
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, nats.ErrTimeout) ||
		errors.As(err, &api) && api.ErrorCode == js.JSErrCodeConsumerCreate && api.Code == http.StatusInternalServerError
}

func newQueue(conn *nats.Conn, shown string) (*queue, error) {
	j, err := js.New(conn, js.WithDefaultTimeout(requestTimeout), js.WithPublishAsyncMaxPending(4*publishBatch))
	if err != nil {
		return nil, err
	}
	return &queue{conn: conn, js: j, shown: shown}, nil
}

// prepare creates the streams that do not exist.
func (q *queue) prepare(ctx context.Context) error {
	tasks := js.StreamConfig{
		Name: taskStream, Description: "runs that weft has to execute", Subjects: []string{taskSubjects + "*.*.*"},
		Retention: js.WorkQueuePolicy, Duplicates: duplicates,
	}
	outcomes := js.StreamConfig{
		Name: outcomeStream, Description: "how runs of weft ended, until their studies have taken notice", Subjects: []string{outcomeSubjects + "*.*.*"},
		Retention: js.WorkQueuePolicy, Duplicates: duplicates,
	}
	for _, config := range []js.StreamConfig{tasks, outcomes} {
		if err := q.ensureStream(ctx, config); err != nil {
			return fmt.Errorf("the stream %s at %s: %w", config.Name, q.shown, withRemedy(err))
		}
	}
	return nil
}

func (q *queue) ensureStream(ctx context.Context, config js.StreamConfig) error {
	return patiently(ctx, func(ctx context.Context) error {
		// The administrator may have given it other limits or replicas.
		_, err := q.js.Stream(ctx, config.Name)
		if errors.Is(err, js.ErrStreamNotFound) {
			_, err = q.js.CreateStream(ctx, config)
			if errors.Is(err, js.ErrStreamNameAlreadyInUse) {
				return nil // another process created it at the same time
			}
		}
		return err
	})
}

// workers creates the consumer of a program's tasks if it does not exist. With ackWait 0 it
// keeps the value of an existing consumer.
func (q *queue) workers(ctx context.Context, program string, ackWait time.Duration) error {
	name := programConsumer(hashed(program))
	err := patiently(ctx, func(ctx context.Context) error {
		existing, err := q.js.Consumer(ctx, taskStream, name)
		if err == nil && (ackWait == 0 || existing.CachedInfo().Config.AckWait == ackWait) {
			return nil
		}
		if err != nil && !errors.Is(err, js.ErrConsumerNotFound) {
			return err
		}
		config := js.ConsumerConfig{
			Durable: name, Description: "workers of " + program, FilterSubject: programTasks(hashed(program)),
			AckPolicy: js.AckExplicitPolicy, AckWait: orDefault(ackWait, defaultAckWait), MaxAckPending: -1, MaxDeliver: -1,
			InactiveThreshold: forgotten,
		}
		if ackWait != 0 {
			_, err = q.js.CreateOrUpdateConsumer(ctx, taskStream, config)
			return err
		}
		// A coordinator may have created it meanwhile, with another AckWait.
		if _, err = q.js.CreateConsumer(ctx, taskStream, config); errors.Is(err, js.ErrConsumerExists) {
			return nil
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("the consumer %s at %s: %w", name, q.shown, withRemedy(err))
	}
	return nil
}

// outcomes creates the consumer of a study's outcomes anew, so that messages delivered to a
// former coordinator are delivered again at once. It returns their number.
func (q *queue) outcomes(ctx context.Context, s scope) (pending uint64, err error) {
	err = patiently(ctx, func(ctx context.Context) error {
		err := q.js.DeleteConsumer(ctx, outcomeStream, s.consumer())
		if err != nil && !errors.Is(err, js.ErrConsumerNotFound) {
			return err
		}
		c, err := q.ensureOutcomes(ctx, s)
		if err == nil {
			pending = c.CachedInfo().NumPending
		}
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("the consumer of outcomes at %s: %w", q.shown, withRemedy(err))
	}
	return pending, nil
}

func (q *queue) ensureOutcomes(ctx context.Context, s scope) (js.Consumer, error) {
	return q.js.CreateOrUpdateConsumer(ctx, outcomeStream, js.ConsumerConfig{
		Durable: s.consumer(), FilterSubject: s.outcomes(), AckPolicy: js.AckExplicitPolicy, AckWait: time.Minute,
		MaxAckPending: -1, MaxDeliver: -1, InactiveThreshold: forgotten,
	})
}

// present returns the subjects of a stream that match and have messages, with their
// numbers.
func (q *queue) present(ctx context.Context, stream, subjects string) (map[string]uint64, error) {
	var there map[string]uint64
	err := patiently(ctx, func(ctx context.Context) error {
		s, err := q.js.Stream(ctx, stream)
		if err != nil {
			return err
		}
		info, err := s.Info(ctx, js.WithSubjectFilter(subjects))
		if err == nil {
			there = info.State.Subjects
		}
		return err
	})
	return there, err
}

// remove removes the messages of a subject, which may have wildcards, from a stream.
func (q *queue) remove(ctx context.Context, stream, subjects string) error {
	return patiently(ctx, func(ctx context.Context) error {
		s, err := q.js.Stream(ctx, stream)
		if err != nil {
			return err
		}
		return s.Purge(ctx, js.WithPurgeSubject(subjects))
	})
}

// removeEach removes the messages of many subjects from a stream.
func (q *queue) removeEach(ctx context.Context, stream string, subjects []string) error {
	return q.each(ctx, stream, subjects, func(ctx context.Context, s js.Stream, subject string) error {
		return s.Purge(ctx, js.WithPurgeSubject(subject))
	})
}

// taskMetas returns the metadata of the last task on each of some subjects. It leaves out
// messages that are not tasks.
func (q *queue) taskMetas(ctx context.Context, subjects []string) (map[string]taskMeta, error) {
	var mu sync.Mutex
	metas := map[string]taskMeta{}
	err := q.each(ctx, taskStream, subjects, func(ctx context.Context, s js.Stream, subject string) error {
		msg, err := s.GetLastMsgForSubject(ctx, subject)
		if errors.Is(err, js.ErrMsgNotFound) {
			return nil // a worker has just finished it
		}
		if err != nil {
			return err
		}
		if m, err := readTaskMeta(msg.Header); err == nil {
			mu.Lock()
			defer mu.Unlock()
			metas[subject] = m
		}
		return nil
	})
	return metas, err
}

// each calls do for many subjects of a stream, several at a time.
func (q *queue) each(ctx context.Context, stream string, subjects []string, do func(ctx context.Context, s js.Stream, subject string) error) error {
	if len(subjects) == 0 {
		return nil
	}
	s, err := q.js.Stream(ctx, stream)
	if err != nil {
		return err
	}
	const together = 32
	var (
		all  sync.WaitGroup
		next atomic.Int64
		errs = make([]error, together)
	)
	for i := range together {
		all.Go(func() {
			for n := next.Add(1); n <= int64(len(subjects)) && errs[i] == nil; n = next.Add(1) {
				errs[i] = patiently(ctx, func(ctx context.Context) error { return do(ctx, s, subjects[n-1]) })
			}
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

// bucket opens the object store of a study's files.
func (q *queue) bucket(ctx context.Context, s scope, create bool) (js.ObjectStore, error) {
	b, err := q.js.ObjectStore(ctx, s.bucket())
	if create && errors.Is(err, js.ErrBucketNotFound) {
		b, err = q.js.CreateObjectStore(ctx, js.ObjectStoreConfig{Bucket: s.bucket(), Description: "inputs and large results of a study of weft"})
		if errors.Is(err, js.ErrBucketExists) {
			b, err = q.js.ObjectStore(ctx, s.bucket())
		}
	}
	return b, err
}

// isFull reports whether the server has no room left.
func isFull(err error) bool {
	var api *js.APIError
	if errors.As(err, &api) {
		switch int(api.ErrorCode) {
		case 10023, 10028, 10047, 10077, 10002: // insufficient resources, memory, storage; store failed
			return true
		}
	}
	return errors.Is(err, js.ErrJetStreamNotEnabled) || errors.Is(err, js.ErrJetStreamNotEnabledForAccount)
}

// withRemedy adds what the user can do.
func withRemedy(err error) error {
	switch {
	case isFull(err):
		return fmt.Errorf("%w; the server has no room left (its disk, or a limit of its configuration, is exhausted), or gave up JetStream for that; make room and run it again", err)
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, nats.ErrNoResponders):
		return fmt.Errorf("%w; the server does not answer: its disk is full (its log tells), JetStream is not ready, or this user may not use it ($JS.API.>)", err)
	}
	return err
}
