package carrier

import (
	"bufio"
	"io"
	"sync"
	"sync/atomic"
	"testing"

	"weft/protocol"
	"weft/transport/solo"
	"weft/wire/internal/tape"
	"weft/wire/internal/transports"
)

// replays replays what carriers record while they do, which takes no memory for the tapes: through the transport alone, and
// through the simulator's carrier.
type replays struct {
	t     testing.TB
	tapes []tapeWriter
	calls atomic.Int64
	ended sync.WaitGroup
}

type tapeWriter struct {
	*bufio.Writer
	pipes []*io.PipeWriter
}

// record returns what a carrier is to record to that carries a transport.
func (r *replays) record(name tape.Name) io.Writer {
	control, err := transports.Replay(name)
	if err != nil {
		r.t.Fatal(err)
	}
	controls := map[string]protocol.CongestionControl{"alone": control, "in the simulator": solo.Carry(control)}
	life := len(r.tapes)
	var w tapeWriter
	var all []io.Writer
	for name, c := range controls {
		from, to := io.Pipe()
		w.pipes, all = append(w.pipes, to), append(all, to)
		r.ended.Go(func() {
			calls, err := tape.Replay(from, func(tape.Name) (protocol.CongestionControl, error) { return c, nil })
			if err != nil {
				r.t.Errorf("the replay of life %d, %s: %v", life, name, err)
			}
			r.calls.Add(int64(calls))
			_, _ = io.Copy(io.Discard, from)
		})
	}
	w.Writer = bufio.NewWriterSize(io.MultiWriter(all...), 1<<18)
	r.tapes = append(r.tapes, w)
	return w
}

// finish ends the tapes, and returns how many calls were replayed.
func (r *replays) finish() int {
	for _, w := range r.tapes {
		if err := w.Flush(); err != nil {
			r.t.Error(err)
		}
		for _, p := range w.pipes {
			_ = p.Close()
		}
	}
	r.ended.Wait()
	return int(r.calls.Load())
}
