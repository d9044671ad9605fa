package onwire

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"weft/internal/readable"
	"weft/internal/userfile"
	"weft/unit"
)

func (p Program) send() *cobra.Command {
	var s settings
	var file, size string
	var call bool
	var count int
	c := &cobra.Command{
		Use:   "send ADDRESS [TEXT]",
		Short: "Send a message and print how long it took",
		Long: `Send a message to an endpoint, such as one of weft wire serve, and print how long it took until
the receiver had confirmed it, or with --call until the reply was here. A receiver refuses messages
larger than its own --largest.`,
		Example: `  weft wire send 127.0.0.1:4000 hello
  weft wire send 127.0.0.1:4000 --size 10MB --count 5
  weft wire send 127.0.0.1:4000 --file message.bin --call --json`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(c *cobra.Command, args []string) (failed error) {
			body, err := bodyOf(args[1:], file, size)
			if err != nil {
				return p.Wrong(err)
			}
			cfg, err := s.config(unit.Bytes(len(body)))
			if err != nil {
				return p.Wrong(err)
			}
			if count < 1 {
				return p.Wrong(fmt.Errorf("--count is %d; send 1 or more", count))
			}
			e, end, err := s.listen(":0", cfg)
			if err != nil {
				return p.Wrong(err)
			}
			defer p.Hold()()
			ctx, cancel := s.within(c.Context())
			defer cancel()
			defer func() { failed = cmp.Or(failed, end(ctx)) }()
			peer, err := e.Dial(ctx, args[0])
			if err != nil {
				return unreached(err, args[0])
			}
			for range count {
				began := time.Now()
				if call {
					_, err = peer.Call(ctx, body)
				} else {
					err = peer.Send(ctx, body)
				}
				if err != nil {
					return unsent(err, args[0])
				}
				if err := p.sent(len(body), time.Since(began), call, s.json); err != nil {
					return err
				}
			}
			return nil
		},
	}
	s.add(c)
	s.addLargest(c, "largest reply that --call takes; the other side's own bounds what is sent; 0 is the default (default 64MB, or as large as what is sent)")
	s.addTimeout(c, 30*time.Second)
	s.addRecord(c)
	s.addCapture(c)
	f := c.Flags()
	f.StringVar(&file, "file", "", "file to send")
	f.StringVar(&size, "size", "", "send so many bytes of zeros, as in 1MB")
	f.BoolVar(&call, "call", false, "wait for a reply")
	f.IntVar(&count, "count", 1, "how many to send, one after another")
	return c
}

// bodyOf returns what to send: one of a text, a file and so many zeros.
func bodyOf(text []string, file, size string) ([]byte, error) {
	given := 0
	for _, one := range []bool{len(text) > 0, file != "", size != ""} {
		if one {
			given++
		}
	}
	switch {
	case given != 1:
		return nil, errors.New("give one of a text, --file and --size")
	case file != "":
		return userfile.Read(file, 4*unit.GB)
	case size != "":
		n, err := unit.ParseBytes(size)
		if err != nil || n < 0 || n > 4*unit.GB {
			return nil, fmt.Errorf("--size %s is no size from 0B to 4GB; write as in 1MB", size)
		}
		return make([]byte, n), nil
	}
	return []byte(text[0]), nil
}

// sent prints how long a message took.
func (p Program) sent(bytes int, took time.Duration, call, asJSON bool) error {
	rate := 8 * float64(bytes) / took.Seconds()
	if asJSON {
		return p.Line(map[string]any{"bytes": bytes, "us": float64(took.Nanoseconds()) / 1e3, "call": call})
	}
	what := "confirmed"
	if call {
		what = "answered"
	}
	text := fmt.Sprintf("%d B %s in %v", bytes, what, took.Round(100*time.Nanosecond))
	if bytes >= 100_000 {
		text += fmt.Sprintf(", %s Mb/s", readable.Significant(rate/1e6, 3))
	}
	_, err := fmt.Fprintln(p.Stdout, text)
	return err
}
