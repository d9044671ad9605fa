package onwire

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"weft/internal/readable"
	"weft/transport/solo"
	"weft/wire"
)

func (p Program) replay() *cobra.Command {
	var asJSON, simulator bool
	c := &cobra.Command{
		Use:   "replay FILE",
		Short: "Compare a recorded endpoint with the transport of this program",
		Long: `Feed a file that --record wrote to the transport that weft simulates, call by call: what arrived,
what was submitted, when the wire was free and when time had passed. It prints how many calls
were answered as they were then, or the first that was not. Then the exit code is 1.

With --simulator the calls go through a host of the simulator: messages are submitted there, packets
come and go in its frames, and its carrier makes the calls. What it does otherwise is a difference, too.`,
		Example: `  weft wire send 127.0.0.1:4000 --size 10MB --record tape
  weft wire replay tape
  weft wire replay tape --simulator`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			f, err := os.Open(args[0])
			if err != nil {
				return p.Wrong(fmt.Errorf("%w; name a file that --record wrote", err))
			}
			defer f.Close()
			replay := wire.Replay
			if simulator {
				replay = func(r io.Reader) (int, error) { return wire.ReplayIn(r, solo.Carry) }
			}
			calls, err := replay(bufio.NewReaderSize(f, 1<<20))
			var d *wire.Difference
			switch {
			case errors.As(err, &d):
				return fmt.Errorf("%s: %w; %s before it agree", args[0], err, readable.Count(calls, "call"))
			case err != nil:
				return p.Wrong(fmt.Errorf("%s: %w", args[0], err))
			case asJSON:
				return p.Line(map[string]any{"calls": calls, "differ": 0})
			}
			_, err = fmt.Fprintf(p.Stdout, "%s, none of which differs\n", readable.Count(calls, "call"))
			return err
		},
	}
	c.Flags().BoolVar(&simulator, "simulator", false, "feed the calls to a host of the simulator")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}
