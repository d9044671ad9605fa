//go:build linux

package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"time"
)

// program is one subcommand.
type program struct {
	name, about string
	run         func(ctx context.Context, args []string, to io.Writer) error
}

func programs() []program {
	return []program{
		{"bucket", "kernel TCP over the emulator, beside kernel TCP over token buckets", runBucket},
		{"incast", "SIRD's incast by TCP or QUIC over the emulator", runIncast},
		{"chain", "kernel TCP over token buckets", runChain},
		{"server", "take messages", runServer},
		{"bulk", "send messages one after another", runBulk},
		{"sender", "send messages at given times", runSender},
		{"client", "send requests, and measure replies", runClient},
	}
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	// quic-go reads these when it opens a socket. Hosts of the emulator do not
	// support UDP segmentation.
	for _, name := range []string{"QUIC_GO_DISABLE_RECEIVE_BUFFER_WARNING", "QUIC_GO_DISABLE_GSO"} {
		if err := os.Setenv(name, "true"); err != nil {
			fmt.Fprintln(os.Stderr, "rivals:", err)
			os.Exit(1)
		}
	}
	err := run(ctx, os.Args[1:], os.Stdout)
	var ended exitError
	switch {
	case errors.As(err, &ended):
		os.Exit(int(ended))
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintln(os.Stderr, "rivals:", err)
		os.Exit(1)
	}
}

// exitError is the status to exit with when everything has been printed.
type exitError int

func (e exitError) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

func run(ctx context.Context, args []string, to io.Writer) error {
	var names []string
	for _, p := range programs() {
		if len(args) > 0 && args[0] == p.name {
			return p.run(ctx, args[1:], to)
		}
		names = append(names, p.name+": "+p.about)
	}
	return fmt.Errorf("give one of these, and --help for its flags:\n  %s", strings.Join(names, "\n  "))
}

// common are the flags of all programs on hosts.
type common struct {
	transport, congestion, ecn, out string
	buffer                          size
	warm, span                      time.Duration
	began                           time.Time
}

func (c *common) add(f *flag.FlagSet) {
	c.began = time.Now()
	f.StringVar(&c.transport, "transport", "tcp", "tcp or quic")
	f.StringVar(&c.congestion, "congestion", "", "congestion control of TCP, such as cubic; the system's without")
	f.StringVar(&c.ecn, "ecn", "", "on or off; as the system has it without. For TCP it writes tcp_ecn of this network namespace")
	f.Var(&c.buffer, "buffer", "buffers of TCP at both ends, from the start; as the system has them without. It writes tcp_rmem and tcp_wmem of this network namespace")
	f.DurationVar(&c.warm, "warm", time.Second, "what is not measured at the start")
	f.DurationVar(&c.span, "for", 5*time.Second, "how long it runs, with what is not measured")
	f.StringVar(&c.out, "out", "", "file for the JSON; standard output without")
}

// parse reads flags and applies the settings that they ask for.
func (c *common) parse(f *flag.FlagSet, args []string) error {
	if err := f.Parse(args); err != nil {
		return err
	}
	switch {
	case f.NArg() > 0:
		return fmt.Errorf("%s takes no argument, but got %q", f.Name(), f.Arg(0))
	case c.transport != "tcp" && c.transport != "quic":
		return fmt.Errorf("--transport is %q; it may be tcp or quic", c.transport)
	case c.ecn != "" && c.ecn != "on" && c.ecn != "off":
		return fmt.Errorf("--ecn is %q; it may be on or off", c.ecn)
	case c.warm < 0 || c.span <= c.warm:
		return fmt.Errorf("--for is %v and --warm %v; something must remain to be measured", c.span, c.warm)
	}
	return c.settings()
}

// at returns the time d after the start.
func (c *common) at(d time.Duration) time.Time { return c.began.Add(d) }

// print writes a result as one line of JSON.
func (c *common) print(to io.Writer, v any) error {
	if c.out == "" {
		return json.NewEncoder(to).Encode(v)
	}
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return os.WriteFile(c.out, append(text, '\n'), 0o644)
}
