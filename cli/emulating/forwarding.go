package emulating

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"weft/emulate"
	"weft/unit"
)

// Whether this machine carries a fabric is measured between namespaces. The measurement has a process of its own, since entering them
// starts the program anew.

const forwardingCommand = "measure-forwarding"

// Measure returns the hidden command that prints how many packets per second this machine forwards, for each size of a frame in bytes.
func Measure(p Program) *cobra.Command {
	return &cobra.Command{
		Use:    forwardingCommand + " BYTES...",
		Hidden: true,
		Args:   cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			space, status, err := emulate.Enter()
			if err != nil {
				return err
			}
			if space == nil { // the process in the namespaces said all
				return p.Status(status)
			}
			rates := make([]float64, len(args))
			for i, text := range args {
				frame, err := strconv.Atoi(text)
				if err != nil {
					return p.Wrong(err)
				}
				if rates[i], err = emulate.Forwards(space, unit.Bytes(frame)); err != nil {
					return err
				}
			}
			return p.JSON(rates)
		},
	}
}

// Forwarding measures how many packets per second this machine forwards, for each size of a frame. The program must have the command
// that Measure returns.
func Forwarding(ctx context.Context, frames []unit.Bytes) (perSecond []float64, err error) {
	if err := emulate.Available(); err != nil {
		return nil, err
	}
	exe, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("this program cannot find its own executable to start a process: %w", err)
	}
	args := []string{forwardingCommand}
	for _, f := range frames {
		args = append(args, strconv.FormatInt(int64(f), 10))
	}
	c := exec.CommandContext(ctx, exe, args...)
	c.Args[0] = os.Args[0]
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	if err := c.Run(); err != nil {
		if text := strings.TrimPrefix(strings.TrimSpace(stderr.String()), "weft: "); text != "" {
			err = errors.New(text)
		}
		return nil, err
	}
	if err := json.Unmarshal(stdout.Bytes(), &perSecond); err != nil || len(perSecond) != len(frames) {
		return nil, fmt.Errorf("its process printed %q", stdout.String())
	}
	return perSecond, nil
}
