// Package onwire has the commands that send real messages: weft wire serve, send and bench.
package onwire

import (
	"errors"
	"fmt"
	"io"
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
		Short: "Send messages over UDP with transports as they are simulated",
		Long: `Send messages between processes over UDP, with the code of SIRD, DCTCP, NSCC, Swift, Dart and others
that weft simulates. Package weft/wire is the library; these commands try it.`,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(p.serve(), p.send(), p.bench(), p.replay(), p.dissector())
	return c
}

// settings are the flags of all endpoints.
type settings struct {
	secretFile, rate string
	largest          string
	record, pcap     string
	transport        string
	balancer         string
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
	f.StringVar(&s.transport, "transport", "", "transport, the same on both sides: dctcp, nscc, swift, dart, … (default sird)")
	f.StringVar(&s.balancer, "balancer", "", "what chooses among source ports, the same on both sides: arcane, ecmp, … (default ops)")
	f.StringVar(&s.largest, "largest", "", "largest message that is taken or sent (default 64MB)")
	f.BoolVar(&s.json, "json", false, "print JSON")
}

// most bounds a file with a secret.
const most = 64 * unit.KiB

// config returns the configuration that flags ask for.
func (s *settings) config() (c wire.Config, err error) {
	c.RTT, c.Ports = s.rtt, s.ports
	c.Transport, c.Balancer = s.transport, s.balancer
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
		return fmt.Errorf("%w; give both sides the same --transport and --balancer, and the same version of weft", err)
	case errors.Is(err, wire.ErrRefused):
		return fmt.Errorf("%w; give the other side a larger --largest", err)
	}
	return err
}
