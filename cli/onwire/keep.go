package onwire

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"weft/wire"
)

// addRecord is for endpoints whose transport can be recorded.
func (s *settings) addRecord(c *cobra.Command) {
	c.Flags().StringVar(&s.record, "record", "", "new file for the calls of the transport and its answers, for weft wire replay")
}

// addCapture is for endpoints whose datagrams can be captured.
func (s *settings) addCapture(c *cobra.Command) {
	c.Flags().StringVar(&s.pcap, "pcap", "", "new file, or pipe, for each datagram sent and received, for Wireshark (pcapng)")
}

const (
	// flushing is how long something stays out of a file at most, so that a process that is killed leaves what it wrote before.
	flushing = time.Second
	// buffered is how many bytes wait to be written at most.
	buffered = 1 << 20
)

// kept is a file that an endpoint writes while it is open. Each Write is in the file whole or not at all, unless it is larger than
// the buffer.
type kept struct {
	file *os.File
	made bool // by keep
	stop chan struct{}
	done sync.WaitGroup // of flushing

	mu sync.Mutex
	to *bufio.Writer
}

// keep opens what a flag names: a file that is not there yet, or a pipe or device.
func keep(flag, name string) (*kept, error) {
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	made := err == nil
	if errors.Is(err, fs.ErrExist) {
		if info, err := os.Stat(name); err != nil || info.Mode().IsRegular() || info.IsDir() {
			return nil, fmt.Errorf("%s: %s is there already; name another file", flag, name)
		}
		file, err = os.OpenFile(name, os.O_WRONLY, 0) // which waits for who reads a pipe
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", flag, err)
	}
	k := &kept{file: file, made: made, stop: make(chan struct{}), to: bufio.NewWriterSize(file, buffered)}
	k.done.Go(k.flush)
	return k, nil
}

// Write adds something that belongs together, such as a line.
func (k *kept) Write(b []byte) (int, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(b) > k.to.Available() {
		if err := k.to.Flush(); err != nil {
			return 0, err
		}
	}
	return k.to.Write(b)
}

// flush writes what waits, again and again. The writer keeps errors for who writes next.
func (k *kept) flush() {
	tick := time.NewTicker(flushing)
	defer tick.Stop()
	for {
		select {
		case <-k.stop:
			return
		case <-tick.C:
			k.mu.Lock()
			_ = k.to.Flush()
			k.mu.Unlock()
		}
	}
}

// rest ends the flushing.
func (k *kept) rest() {
	close(k.stop)
	k.done.Wait()
}

// Close writes what is left.
func (k *kept) Close() error {
	k.rest()
	return errors.Join(k.to.Flush(), k.file.Close())
}

// drop takes the file away again, if it was made.
func (k *kept) drop() error {
	k.rest()
	err := k.file.Close()
	if k.made {
		err = errors.Join(err, os.Remove(k.file.Name()))
	}
	return err
}

// same tells whether two names are of one file.
func same(a, b string) bool {
	one, err := filepath.Abs(a)
	other, failed := filepath.Abs(b)
	return err == nil && failed == nil && one == other
}

// listen opens an endpoint that flags ask for. What it returns closes it, and the files that it writes.
func (s *settings) listen(addr string, cfg wire.Config) (e *wire.Endpoint, end func(context.Context) error, err error) {
	if s.record != "" && s.pcap != "" && same(s.record, s.pcap) {
		return nil, nil, fmt.Errorf("--record and --pcap both name %s; name two files", s.pcap)
	}
	var files []*kept
	defer func() {
		for _, k := range files {
			if err != nil {
				err = errors.Join(err, k.drop())
			}
		}
	}()
	if s.record != "" {
		k, err := keep("--record", s.record)
		if err != nil {
			return nil, nil, err
		}
		files, cfg.Record = append(files, k), k
	}
	if s.pcap != "" {
		k, err := keep("--pcap", s.pcap)
		if err != nil {
			return nil, nil, err
		}
		files, cfg.Capture = append(files, k), k
	}
	if e, err = wire.Listen(addr, cfg); err != nil {
		return nil, nil, err
	}
	return e, func(ctx context.Context) error {
		err := e.Close(ctx)
		for _, k := range files {
			err = errors.Join(err, k.Close())
		}
		return err
	}, nil
}
