// Package onwire has the commands that send real messages, and those that look at what was sent: weft wire serve, send, bench, replay
// and dissector.
package onwire

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

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

// unreached adds what to do about the error of a dial.
func unreached(err error, addr string) error {
	switch {
	case errors.Is(err, wire.ErrSilent), errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%w: nobody answers at %s; start one there with weft wire serve, with the same secret or none, and let UDP pass", err, addr)
	case errors.Is(err, wire.ErrMismatch):
		return fmt.Errorf("%w; give both sides the same --transport and --balancer, and the same version of weft", err)
	}
	return err
}

// unsent adds what to do about the error of a message.
func unsent(err error, addr string) error {
	var refused *wire.RefusedError
	if errors.As(err, &refused) {
		return fmt.Errorf("%w; %s", err, against(refused))
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return late(err)
	}
	return unreached(err, addr)
}

// against says what to do about a refusal.
func against(r *wire.RefusedError) string {
	switch {
	case r.Reason == wire.NobodyListens:
		return "its program has no handler"
	case r.Reason == wire.Leaving:
		return "try again once it is back"
	case r.Reply:
		return "give this side a larger --largest"
	}
	return "give the other side a larger --largest"
}

// late adds what to do about an error of what took too long.
func late(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%w; give it longer with --timeout", err)
	}
	return err
}
