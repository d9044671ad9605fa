package onwire

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"weft/wire"
)

func (p Program) serve() *cobra.Command {
	var s settings
	var id string
	c := &cobra.Command{
		Use:   "serve [ADDRESS]",
		Short: "Serve an address: print messages, and answer requests",
		Long: `Take messages at a UDP address, print a line for each, and answer each request with its own
text. It ends at an interrupt. With --id it has the same ID each time, which no other endpoint
may have meanwhile.`,
		Example: `  weft wire serve
  weft wire serve :4000 --secret-file secret --json
  weft wire serve :4000 --id store-7 --largest 500MB`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			cfg, err := s.config(0)
			if err != nil {
				return p.Wrong(err)
			}
			if cfg.ID, err = idOf(id); err != nil {
				return p.Wrong(err)
			}
			addr := "127.0.0.1:4000"
			if len(args) == 1 {
				addr = args[0]
			}
			var mu sync.Mutex // of lines
			cfg.Handler = func(ctx context.Context, m *wire.Message) {
				mu.Lock()
				failed := p.came(m, s.json)
				mu.Unlock()
				if failed == nil && m.IsRequest() {
					_ = m.Reply(ctx, m.Body) // who asked hears of it
				}
			}
			e, end, err := s.listen(addr, cfg)
			if err != nil {
				return p.Wrong(err)
			}
			defer p.Hold()()
			if s.json {
				err = p.Line(map[string]any{"listens": e.Addr().String(), "id": e.ID().String()})
			} else {
				_, err = fmt.Fprintf(p.Stdout, "%s listens at %s; end it with an interrupt\n", e.ID(), e.Addr())
			}
			if err != nil {
				return err
			}
			<-c.Context().Done()
			ctx, cancel := context.WithTimeout(context.Background(), time.Second)
			defer cancel()
			return end(ctx)
		},
	}
	s.add(c)
	s.addLargest(c, "largest message that is taken; all that arrive have twice as much memory, or 256MB; 0 is the default (default 64MB)")
	c.Flags().StringVar(&id, "id", "", "ID of 32 hexadecimal digits, or a name that stands for one (default a random one)")
	s.addRecord(c)
	s.addCapture(c)
	return c
}

// came prints a message.
func (p Program) came(m *wire.Message, asJSON bool) error {
	kind := "message"
	if m.IsRequest() {
		kind = "request"
	}
	from := m.Peer().ID().String()
	if asJSON {
		return p.Line(map[string]any{"kind": kind, "from": from, "bytes": len(m.Body)})
	}
	_, err := fmt.Fprintf(p.Stdout, "%s of %d B from %s\n", kind, len(m.Body), from)
	return err
}
