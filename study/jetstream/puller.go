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

// puller takes messages of a consumer. The client library's iterators may forget to
// ask when a message arrives while they are still asking for it, and stand still
// until a heartbeat is missed; with requests for one message over a connection
// within the process that is a matter of seconds. They also drop what does not fit
// their buffer. One goroutine may use a puller.
type puller struct {
	conn    *nats.Conn
	subject string
	request []byte
	batch   int

	messages chan *nats.Msg
	sub      *nats.Subscription
	// left is how many messages the request under way may still bring.
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

// newPuller takes messages that many at a time, or that many bytes if that is less.
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

// subscribe begins anew, under a name that answers to former requests do not reach.
func (p *puller) subscribe() error {
	if p.sub != nil {
		_ = p.sub.Unsubscribe()
	}
	// A request brings no more than its messages and a few words.
	p.messages = make(chan *nats.Msg, 2*p.batch+16)
	p.left = 0
	p.reconnects = p.conn.Stats().Reconnects
	var err error
	p.sub, err = p.conn.ChanSubscribe(p.conn.NewInbox(), p.messages)
	return err
}

// next returns the next message, however long it takes. The error is the context's,
// errNoConsumer, or the connection's.
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
			// A request dies with the connection that it was made on.
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

// look tells a message from the server's words about the request.
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
	case "404", "408": // nothing came
		p.left = 0
		return false, nil
	}
	if strings.Contains(text, "Consumer Deleted") {
		return false, errNoConsumer
	}
	p.left = 0
	if !strings.Contains(text, "Completed") && !strings.Contains(text, "Exceeds") {
		sleep(ctx, 200*time.Millisecond) // the server stops, or another takes over
	}
	return false, nil
}

// close gives back what has come and nobody has seen.
func (p *puller) close() {
	// The server answers no more once it knows that nobody listens.
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

// What a consumer can be told of a message.
var (
	done       = []byte("+ACK")
	giveBack   = []byte("-NAK")
	inProgress = []byte("+WPI")
	never      = []byte("+TERM")
)

func respond(conn *nats.Conn, m *nats.Msg, word []byte) error {
	return conn.Publish(m.Reply, word)
}
