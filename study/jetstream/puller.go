package jetstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	js "github.com/nats-io/nats.go/jetstream"
)

// puller receives the messages of a consumer. It replaces the iterators of the client
// library. They can miss a message that arrives while their request is still under way, and
// then stall until a heartbeat is missed. With requests for one message over a connection
// within the process, that happens within seconds. They also drop messages that do not fit
// their buffer. Only one goroutine may use a puller.
type puller struct {
	conn    *nats.Conn
	subject string
	request []byte
	batch   int

	messages chan *nats.Msg
	sub      *nats.Subscription
	// left is the number of messages that the current request may still bring.
	left       int
	heard      time.Time
	reconnects uint64
}

const (
	pullExpiry    = 30 * time.Second
	pullHeartbeat = 2 * time.Second
	pullTick      = time.Second
)

var errNoConsumer = errors.New("the server has no such consumer")

// newPuller requests this many messages at a time, or this many bytes if that is less.
func newPuller(conn *nats.Conn, stream, consumer string, batch, maxBytes int) (*puller, error) {
	request, err := json.Marshal(struct {
		Batch     int           `json:"batch"`
		MaxBytes  int           `json:"max_bytes,omitempty"`
		Expires   time.Duration `json:"expires"`
		Heartbeat time.Duration `json:"idle_heartbeat"`
	}{batch, maxBytes, pullExpiry, pullHeartbeat})
	if err != nil {
		return nil, err
	}
	p := &puller{
		conn: conn, subject: js.DefaultAPIPrefix + "CONSUMER.MSG.NEXT." + stream + "." + consumer, request: request, batch: batch,
	}
	return p, p.subscribe()
}

// subscribe starts anew under another name, which answers to former requests do not reach.
func (p *puller) subscribe() error {
	if p.sub != nil {
		_ = p.sub.Unsubscribe()
	}
	// A request brings at most its messages and a few status messages.
	p.messages = make(chan *nats.Msg, 2*p.batch+16)
	p.left = 0
	p.reconnects = p.conn.Stats().Reconnects
	var err error
	p.sub, err = p.conn.ChanSubscribe(p.conn.NewInbox(), p.messages)
	return err
}

// next waits for the next message. Its error is the context's, errNoConsumer, or the
// connection's.
func (p *puller) next(ctx context.Context) (*nats.Msg, error) {
	tick := time.NewTicker(pullTick)
	defer tick.Stop()
	for {
		if p.left == 0 && len(p.messages) == 0 {
			if err := p.conn.PublishRequest(p.subject, p.sub.Subject, p.request); err != nil {
				return nil, err
			}
			p.left, p.heard = p.batch, time.Now()
		}
		select {
		case m := <-p.messages:
			p.heard = time.Now()
			found, err := p.look(ctx, m)
			if found || err != nil {
				return m, err
			}
		case now := <-tick.C:
			// A request dies with its connection.
			if p.conn.Stats().Reconnects != p.reconnects || now.Sub(p.heard) > 5*pullHeartbeat/2 {
				if err := p.subscribe(); err != nil {
					return nil, err
				}
			}
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// look distinguishes messages from the server's status reports about the request.
func (p *puller) look(ctx context.Context, m *nats.Msg) (bool, error) {
	status, text := "", ""
	if len(m.Data) == 0 && m.Header != nil {
		status, text = m.Header.Get("Status"), m.Header.Get("Description")
	}
	switch status {
	case "":
		p.left--
		return true, nil
	case "100":
		return false, nil
	case "503": // nobody answers for the consumer
		return false, fmt.Errorf("%w (%s)", errNoConsumer, p.subject)
	case "404", "408": // no message came
		p.left = 0
		return false, nil
	}
	if strings.Contains(text, "Consumer Deleted") {
		return false, errNoConsumer
	}
	p.left = 0
	if !strings.Contains(text, "Completed") && !strings.Contains(text, "Exceeds") {
		sleep(ctx, 200*time.Millisecond) // the server is stopping, or another one takes over
	}
	return false, nil
}

// close gives back the messages that have arrived and nobody has read.
func (p *puller) close() {
	// The server sends nothing more once it knows that nobody listens.
	_ = p.sub.Unsubscribe()
	if p.conn.IsConnected() {
		_ = p.conn.FlushTimeout(time.Second)
	}
	for {
		select {
		case m := <-p.messages:
			if m.Header.Get("Status") == "" {
				_ = respond(p.conn, m, giveBack)
			}
		default:
			return
		}
	}
}

// The answers of a consumer to a message.
var (
	done       = []byte("+ACK")
	giveBack   = []byte("-NAK")
	inProgress = []byte("+WPI")
	never      = []byte("+TERM")
)

func respond(conn *nats.Conn, m *nats.Msg, word []byte) error {
	return conn.Publish(m.Reply, word)
}
