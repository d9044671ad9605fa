package jetstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

const (
	// maxPayload is what the server recommends at most, and more than nearly all
	// results have.
	maxPayload = 8 << 20
	// logVariable names a file for the log of an embedded server.
	logVariable = "WEFT_NATS_LOG"

	readyTimeout = 30 * time.Second
	watchEvery   = 500 * time.Millisecond
	markerFile   = "queue.json"
	lockFile     = "lock"
	storeFolder  = "store"
)

// marker says what wrote a folder of a queue.
type marker struct {
	Server string `json:"server"`
}

// embedded is a server in this process that listens nowhere.
type embedded struct {
	server *server.Server
	dir    string
	lock   *os.File
	log    *watchLog
}

// startEmbedded starts the server of a queue in a folder, which it makes or, if it
// is damaged, empties: all that was in it can be computed again.
func startEmbedded(dir string, notice func(string)) (*embedded, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("the folder of the queue: %w", err)
	}
	lock, err := lockFolder(filepath.Join(dir, lockFile))
	if err != nil {
		return nil, err
	}
	e := &embedded{dir: dir, lock: lock}
	if why := e.foreign(); why != "" {
		if err := e.reset(why, notice); err != nil {
			lock.Close()
			return nil, err
		}
	}
	if err := e.start(); err != nil {
		if errors.Is(err, errDamaged) {
			err = e.reset(err.Error(), notice)
			if err == nil {
				err = e.start()
			}
		}
		if err != nil {
			lock.Close()
			return nil, err
		}
	}
	return e, nil
}

// reset empties the folder, with a notice.
func (e *embedded) reset(why string, notice func(string)) error {
	if e.server != nil {
		e.stop()
	}
	notice(fmt.Sprintf("the queue in %s is begun anew: %s; finished runs are kept elsewhere and are not lost", e.dir, why))
	return e.empty()
}

// empty removes what is in the folder but for the lock.
func (e *embedded) empty() error {
	for _, name := range []string{storeFolder, markerFile} {
		if err := os.RemoveAll(filepath.Join(e.dir, name)); err != nil {
			return fmt.Errorf("the queue cannot be removed: %w", err)
		}
	}
	return nil
}

// foreign tells why what is in the folder must not be touched by this server.
func (e *embedded) foreign() string {
	b, err := os.ReadFile(filepath.Join(e.dir, markerFile))
	if errors.Is(err, os.ErrNotExist) {
		if _, err := os.Stat(filepath.Join(e.dir, storeFolder)); err == nil {
			return "nothing says which server wrote it"
		}
		return ""
	}
	var m marker
	if err != nil || json.Unmarshal(b, &m) != nil {
		return markerFile + " is damaged"
	}
	if newer(m.Server, server.VERSION) {
		return fmt.Sprintf("NATS server %s wrote it, which is newer than %s in this program", m.Server, server.VERSION)
	}
	return ""
}

// newer compares versions as in 2.15.2.
func newer(a, b string) bool {
	as, bs := strings.Split(a, "."), strings.Split(b, ".")
	for i := range max(len(as), len(bs)) {
		var x, y int
		if i < len(as) {
			x, _ = strconv.Atoi(strings.SplitN(as[i], "-", 2)[0])
		}
		if i < len(bs) {
			y, _ = strconv.Atoi(strings.SplitN(bs[i], "-", 2)[0])
		}
		if x != y {
			return x > y
		}
	}
	return false
}

var errDamaged = errors.New("its files are damaged")

func (e *embedded) start() (err error) {
	mark, err := json.Marshal(marker{Server: server.VERSION})
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(e.dir, markerFile), mark, 0o644); err != nil {
		return fmt.Errorf("the folder of the queue: %w", err)
	}
	o := &server.Options{
		ServerName: "weft", DontListen: true, NoSigs: true,
		JetStream: true, StoreDir: filepath.Join(e.dir, storeFolder), MaxPayload: maxPayload,
		// What is in a pipe or a cache of the system survives the death of this
		// process. What a power cut takes is computed again.
		SyncInterval: 2 * time.Minute,
	}
	there := e.streams()
	s, err := server.NewServer(o)
	if err != nil {
		return fmt.Errorf("the embedded NATS server: %w", err)
	}
	// It tells of damage in its log only.
	w := &watchLog{}
	e.log = w
	if path := os.Getenv(logVariable); path != "" {
		f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			return fmt.Errorf("the log that %s names: %w", logVariable, err)
		}
		w.out = f
	}
	s.SetLoggerV2(w, false, false, false)
	s.Start()
	e.server = s
	if !s.ReadyForConnections(readyTimeout) || !s.JetStreamEnabled() {
		why := w.first()
		e.stop()
		if why == "" {
			return fmt.Errorf("the embedded NATS server was not ready within %v", readyTimeout)
		}
		return fmt.Errorf("%w: %s", errDamaged, why)
	}
	// It passes over a stream that it cannot read.
	known, err := s.Jsz(nil)
	if err != nil {
		e.stop()
		return fmt.Errorf("the embedded NATS server: %w", err)
	}
	if known.Streams < there {
		why := w.first()
		e.stop()
		return fmt.Errorf("%w: %s", errDamaged, why)
	}
	return nil
}

// streams counts the streams in the folder.
func (e *embedded) streams() int {
	list, err := filepath.Glob(filepath.Join(e.dir, storeFolder, "jetstream", "*", "streams", "*"))
	if err != nil {
		return 0
	}
	return len(list)
}

// watch reports, until the context is done, that the server cannot write. It tells its
// log, and whoever asks it for something waits in vain.
func (e *embedded) watch(ctx context.Context, gaveUp func(error)) {
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if why := e.log.writeError(); why != "" {
				gaveUp(fmt.Errorf("no room left for the queue in %s, or it cannot be written: %s; mend that and run the study again, finished runs are kept", e.dir, why))
				return
			}
		case <-ctx.Done():
			return
		}
	}
}

func (e *embedded) stop() {
	e.server.Shutdown()
	e.server.WaitForShutdown()
	e.server = nil
	e.log.close()
}

// close stops the server. If the queue is of no use any more its files go.
func (e *embedded) close(remove bool) {
	if e.server != nil {
		e.stop()
	}
	if remove {
		// What stays costs nothing but room.
		_ = e.empty()
		_ = os.Remove(filepath.Join(e.dir, lockFile))
	}
	e.lock.Close()
	if remove {
		_ = os.Remove(e.dir)
	}
}

// connect returns a connection within this process.
func (e *embedded) connect(options ...nats.Option) (*nats.Conn, error) {
	return nats.Connect("", append(options, nats.InProcessServer(e.server))...)
}
