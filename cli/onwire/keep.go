package onwire

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"weft/wire"
)

// addRecord is for endpoints whose transport can be recorded.
func (s *settings) addRecord(c *cobra.Command) {
	c.Flags().StringVar(&s.record, "record", "", "file for the calls of the transport and its answers, for weft wire replay")
}

// addCapture is for endpoints whose datagrams can be captured.
func (s *settings) addCapture(c *cobra.Command) {
	c.Flags().StringVar(&s.pcap, "pcap", "", "file for each datagram sent and received, for Wireshark (pcapng)")
}

// kept is a file that an endpoint writes while it is open.
type kept struct {
	file *os.File
	*bufio.Writer
}

// keep makes a new file, which a flag names.
func keep(flag, name string) (*kept, error) {
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("%s: %s is there already; name another file", flag, name)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", flag, err)
	}
	return &kept{file, bufio.NewWriterSize(file, 1<<20)}, nil
}

// Close writes what is left.
func (k *kept) Close() error { return errors.Join(k.Flush(), k.file.Close()) }

// drop takes the file away again.
func (k *kept) drop() error { return errors.Join(k.file.Close(), os.Remove(k.file.Name())) }

// listen opens an endpoint that flags ask for. What it returns closes it, and the files that it writes.
func (s *settings) listen(addr string, cfg wire.Config) (e *wire.Endpoint, end func(context.Context) error, err error) {
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
