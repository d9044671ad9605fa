package cli

import (
	"errors"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// output is a standard stream that must not keep a command from its files: what
// cannot be written is dropped, so that weft run … | head leaves whole results.
type output struct {
	file *os.File

	mu sync.Mutex
	// err is why nothing more is written.
	err error
}

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err == nil {
		_, o.err = o.file.Write(b)
	}
	return len(b), nil
}

// lost returns why output is missing, unless its reader wanted no more of it.
func (o *output) lost() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if errors.Is(o.err, syscall.EPIPE) {
		return nil
	}
	return o.err
}

// outliveReaders makes writing to a closed pipe an error, which else ends the process.
// Processes that are started do not inherit it, as they would that a signal is ignored.
func outliveReaders() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }

// fileOf returns the file that w writes to, if it is one.
func fileOf(w io.Writer) (*os.File, bool) {
	switch w := w.(type) {
	case *output:
		return w.file, true
	case *os.File:
		return w, true
	}
	return nil, false
}
