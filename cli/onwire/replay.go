package onwire

import (
	"bufio"
	"encoding/json"
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
			file := &ending{Reader: f}
			in := bufio.NewReaderSize(file, 1<<20)
			switch start, err := in.Peek(len(beginning)); {
			case err != nil && err != io.EOF:
				return p.Wrong(err)
			case string(start) != beginning:
				return p.Wrong(fmt.Errorf("%s is no recording of weft (line 1); name a file that --record wrote", args[0]))
			}
			calls, err := replay(in)
			var d *wire.Difference
			switch {
			case errors.As(err, &d):
				return fmt.Errorf("%s: %w; %s before it agree", args[0], err, readable.Count(calls, "call"))
			case file.cut(err):
				return p.Wrong(fmt.Errorf("%s is cut off in line %d; %s before it, none of which differs", args[0], calls+2, readable.Count(calls, "call")))
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

// beginning is how each recording starts.
const beginning = `{"tape":`

// ending notes how what is read ends.
type ending struct {
	io.Reader
	over bool
	last byte
}

// Read implements io.Reader.
func (e *ending) Read(b []byte) (n int, err error) {
	n, err = e.Reader.Read(b)
	if n > 0 {
		e.last = b[n-1]
	}
	e.over = err == io.EOF
	return n, err
}

// cut tells whether an error is that of a last line that is not whole.
func (e *ending) cut(err error) bool {
	var syntax *json.SyntaxError
	return errors.As(err, &syntax) && e.over && e.last != '\n'
}
