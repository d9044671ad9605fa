package onwire

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"weft/internal/userfile"
	"weft/unit"
	"weft/wire"
)

// settings are the flags of endpoints.
type settings struct {
	secretFile, rate string
	largest          string
	record, pcap     string
	transport        string
	balancer         string
	rtt, timeout     time.Duration
	ports            int
	json             bool
}

// add adds the flags that all commands with endpoints have.
func (s *settings) add(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&s.secretFile, "secret-file", "", "file with a secret that both sides have; seals what is sent")
	f.StringVar(&s.rate, "rate", "", "rate of the host's link; 0 is the default (default 10Gbps)")
	f.DurationVar(&s.rtt, "rtt", 0, "round trip of an unloaded network; 0 is the default (default 100µs)")
	f.IntVar(&s.ports, "ports", 0, "source ports over which packets are sprayed; 0 is the default (default 16)")
	f.StringVar(&s.transport, "transport", "", "transport, the same on both sides: dctcp, nscc, swift, dart, … (default sird)")
	f.StringVar(&s.balancer, "balancer", "", "what chooses among source ports, the same on both sides: arcane, ecmp, … (default ops)")
	f.BoolVar(&s.json, "json", false, "print JSON, an object on each line")
}

// addLargest is for endpoints that take messages of others.
func (s *settings) addLargest(c *cobra.Command, usage string) {
	c.Flags().StringVar(&s.largest, "largest", "", usage)
}

// addTimeout is for commands that end by themselves.
func (s *settings) addTimeout(c *cobra.Command, usual time.Duration) {
	c.Flags().DurationVar(&s.timeout, "timeout", usual, "give up after so long; 0 is never")
}

// within limits a context as --timeout says.
func (s *settings) within(ctx context.Context) (context.Context, context.CancelFunc) {
	if s.timeout == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, s.timeout)
}

const (
	// mostSecret bounds a file with a secret, and leastSecret is how many characters a secret has at least.
	mostSecret  = 64 * unit.KiB
	leastSecret = 16
	// usualLargest and usualMemory are the defaults of the library.
	usualLargest = 64 * unit.MB
	usualMemory  = 256 * unit.MB
)

// config returns the configuration that flags ask for, of an endpoint that has memory for two messages of so many bytes at least.
func (s *settings) config(least unit.Bytes) (c wire.Config, err error) {
	if err := s.check(); err != nil {
		return c, err
	}
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
	}
	c.Largest = max(cmp.Or(c.Largest, usualLargest), least)
	c.Memory = max(usualMemory, 2*c.Largest)
	c.Secret, err = s.secret()
	return c, err
}

// check refuses what is negative.
func (s *settings) check() error {
	switch {
	case s.rtt < 0:
		return fmt.Errorf("--rtt is %v; give a time, as in 50us", s.rtt)
	case s.timeout < 0:
		return fmt.Errorf("--timeout is %v; give a time, as in 10s, or 0 for no limit", s.timeout)
	case s.ports < 0:
		return fmt.Errorf("--ports is %d; give 1 or more", s.ports)
	}
	return nil
}

// secret reads the file with the secret, if there is one. White space around the secret is not part of it.
func (s *settings) secret() ([]byte, error) {
	if s.secretFile == "" {
		return nil, nil
	}
	text, err := userfile.Read(s.secretFile, mostSecret)
	if err != nil {
		return nil, err
	}
	text = bytes.TrimSpace(text)
	if len(text) < leastSecret {
		return nil, fmt.Errorf("%s has %d characters; a secret needs %d at least, as from: openssl rand -hex 32", s.secretFile, len(text), leastSecret)
	}
	return text, nil
}

// idOf returns the ID that a text stands for: its 32 hexadecimal digits, or else the start of its SHA-256. No text is no ID.
func idOf(text string) (id wire.ID, err error) {
	if text == "" {
		return id, nil
	}
	digits, err := hex.DecodeString(text)
	if err != nil || len(digits) != len(id) {
		sum := sha256.Sum256([]byte(text))
		digits = sum[:]
	}
	copy(id[:], digits)
	if id == (wire.ID{}) {
		return id, errors.New("--id is 0, which stands for none; give another one")
	}
	return id, nil
}
