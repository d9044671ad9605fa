// Package onwire has the commands that send real messages: weft wire serve, send and bench.
package onwire

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"weft/internal/userfile"
	"weft/unit"
	"weft/wire"
)

// Program is what the commands stand on.
type Program struct {
	Stdout io.Writer
	// Line prints an object as a line of JSON.
	Line func(v any) error
	// Hold makes an interrupt end the command's context alone, until what it returns is called.
	Hold func() (release func())
	// Wrong marks an error that the user has to mend.
	Wrong func(error) error
}

// Command returns weft wire.
func Command(p Program) *cobra.Command {
	c := &cobra.Command{
		Use:   "wire",
		Short: "Send messages over UDP with SIRD as it is simulated",
		Long: `Send messages between processes over UDP, with the code of SIRD that weft simulates.
Package weft/wire is the library; these commands try it.`,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(p.serve(), p.send(), p.bench(), p.replay())
	return c
}

// settings are the flags of all endpoints.
type settings struct {
	secretFile, rate string
	largest, record  string
	rtt              time.Duration
	ports            int
	json             bool
}

func (s *settings) add(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&s.secretFile, "secret-file", "", "file with a secret that both sides have; seals what is sent")
	f.StringVar(&s.rate, "rate", "", "rate of the host's link (default 10Gbps)")
	f.DurationVar(&s.rtt, "rtt", 0, "round trip of an unloaded network (default 100µs)")
	f.IntVar(&s.ports, "ports", 0, "source ports over which packets are sprayed (default 16)")
	f.StringVar(&s.largest, "largest", "", "largest message that is taken or sent (default 64MB)")
	f.BoolVar(&s.json, "json", false, "print JSON")
}

// addRecord is for endpoints whose transport can be recorded.
func (s *settings) addRecord(c *cobra.Command) {
	c.Flags().StringVar(&s.record, "record", "", "file for the calls of the transport and its answers, for weft wire replay")
}

// listen opens an endpoint that flags ask for. What it returns closes it, and what is recorded.
func (s *settings) listen(addr string, cfg wire.Config) (e *wire.Endpoint, end func(context.Context) error, err error) {
	var file *os.File
	var to *bufio.Writer
	if s.record != "" {
		if file, err = os.OpenFile(s.record, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666); errors.Is(err, fs.ErrExist) {
			return nil, nil, fmt.Errorf("--record: %s is there already; name another file", s.record)
		} else if err != nil {
			return nil, nil, fmt.Errorf("--record: %w", err)
		}
		to = bufio.NewWriterSize(file, 1<<20)
		cfg.Record = to
	}
	if e, err = wire.Listen(addr, cfg); err != nil {
		if file != nil {
			return nil, nil, errors.Join(err, file.Close(), os.Remove(s.record))
		}
		return nil, nil, err
	}
	return e, func(ctx context.Context) error {
		err := e.Close(ctx)
		if file != nil {
			err = errors.Join(err, to.Flush(), file.Close())
		}
		return err
	}, nil
}

// most bounds a file with a secret.
const most = 64 * unit.KiB

// config returns the configuration that flags ask for.
func (s *settings) config() (c wire.Config, err error) {
	c.RTT, c.Ports = s.rtt, s.ports
	if s.rate != "" {
		if c.Rate, err = unit.ParseRate(s.rate); err != nil {
			return c, fmt.Errorf("--rate: %w", err)
		}
	}
	if s.largest != "" {
		if c.Largest, err = unit.ParseBytes(s.largest); err != nil {
			return c, fmt.Errorf("--largest: %w", err)
		}
		c.Memory = max(256*unit.MB, 2*c.Largest)
	}
	if s.secretFile == "" {
		return c, nil
	}
	text, err := userfile.Read(s.secretFile, most)
	if err != nil {
		return c, err
	}
	c.Secret = []byte(strings.TrimSpace(string(text)))
	if len(c.Secret) < 16 {
		return c, fmt.Errorf("%s has %d characters; a secret needs 16 at least, as from: openssl rand -hex 32", s.secretFile, len(c.Secret))
	}
	return c, nil
}

// advised adds what to do about an error of the library.
func advised(err error, addr string) error {
	switch {
	case errors.Is(err, wire.ErrSilent):
		return fmt.Errorf("%w: nobody answers at %s; start one there with weft wire serve, with the same secret or none, and let UDP pass", err, addr)
	case errors.Is(err, wire.ErrMismatch):
		return fmt.Errorf("%w; start both sides with the same transport, options and version of weft", err)
	case errors.Is(err, wire.ErrRefused):
		return fmt.Errorf("%w; give the other side a larger --largest", err)
	}
	return err
}
