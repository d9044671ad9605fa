package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"weft/internal/printable"
)

// output is a standard stream that must not keep a command from its files: what
// cannot be written is dropped, so that weft run … | head leaves whole results. All text goes
// through it, and so nothing that files or machines of others say drives a terminal.
type output struct {
	*printable.Writer
	to *outlet
}

func newOutput(file *os.File) *output {
	to := &outlet{file: file}
	return &output{printable.NewWriter(to), to}
}

// outlet is the end of an output.
type outlet struct {
	file *os.File

	mu sync.Mutex
	// err is why nothing more is written.
	err error
}

// Write drops what cannot be written.
func (o *outlet) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err == nil {
		_, o.err = o.file.Write(b)
	}
	return len(b), nil
}

// lost returns why output is missing, unless its reader wanted no more of it.
func (o *output) lost() error {
	_ = o.Flush() // which drops what cannot be written
	o.to.mu.Lock()
	defer o.to.mu.Unlock()
	if errors.Is(o.to.err, syscall.EPIPE) {
		return nil
	}
	return o.to.err
}

// outliveReaders makes writing to a closed pipe an error, which else ends the process.
// Processes that are started do not inherit it, as they would that a signal is ignored.
func outliveReaders() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }

// Control sequences of weft's own.
const (
	clearLine = "\r\x1b[K"
	// clearBelow clears from some lines above to the end of the terminal.
	clearBelow = "\r\x1b[%dA\x1b[J"
)

// control writes a control sequence of weft's own to a terminal, past what keeps those of others
// from it.
func control(w io.Writer, sequence string) {
	if o, ok := w.(*output); ok {
		_ = o.Raw(sequence) // drops what cannot be written
		return
	}
	fmt.Fprint(w, sequence)
}

// repaintLine writes one line over the one before.
func repaintLine(w io.Writer, line string) {
	control(w, clearLine)
	fmt.Fprint(w, printable.Line(line))
}

// fileOf returns the file that w writes to, if it is one.
func fileOf(w io.Writer) (*os.File, bool) {
	switch w := w.(type) {
	case *output:
		return w.to.file, true
	case *os.File:
		return w, true
	}
	return nil, false
}
