package dcpim

import (
	"fmt"
	"math/rand/v2"

	"weft/protocol"
	"weft/protocol/internal/tokens"
	"weft/unit"
)

// Kinds of packet beside those of tokens. All are about the epoch Number (modulo 2³²) and its
// round Extra; Amount is a number of channels.
const (
	// kindRequest asks a sender for channels, for a message of which Offset is missing.
	kindRequest = tokens.Own + iota
	// kindGrant promises channels to a receiver that asked; Offset as in the request.
	kindGrant
	// kindAccept takes channels that were promised.
	kindAccept
	// kindReturn takes back channels that were promised.
	kindReturn
)

// host is dcPIM at one host. Rounds of matching are in matching.go, the data phase is in
// data.go, and messages are those of tokens.Host.
type host struct {
	tokens.Host
	*config
	rng *rand.PCG

	// step is the stage of the clock that comes next, at its time.
	step int64
	at   unit.Time
	// matching is the epoch whose channels are being matched, running that of the data phase.
	matching, running epoch
	requests, grants  []offer
	// held is how many tokens are held back, and heldFor the message that they are held back for.
	held, heldFor int32
}

func newHost(c *config, env protocol.HostEnv) *host {
	h := &host{config: c, rng: env.Rand}
	h.Start(&c.messages, env.Out)
	return h
}

// Receive implements protocol.HostTransport.
func (h *host) Receive(now unit.Time, p *protocol.Packet) (fresh unit.Bytes) {
	h.Now = now
	h.advance()
	switch p.Kind {
	case tokens.Data, tokens.Notice:
		return h.onData(p)
	case tokens.Token:
		h.OnToken(p, h.void(p.Number))
	case tokens.Done:
		h.OnDone(p)
	case kindRequest:
		h.onRequest(p)
	case kindGrant:
		h.onGrant(p)
	case kindAccept:
		h.onAccept(p)
	case kindReturn:
		h.onReturn(p)
	case tokens.Withdraw:
		h.onWithdraw(p)
	case tokens.Withdrawn:
		h.OnWithdrawn(p)
	}
	return 0
}

// Next implements protocol.HostTransport.
func (h *host) Next(now unit.Time, p *protocol.Packet) bool {
	h.Now = now
	return h.Host.Next(p)
}

// Deadline implements protocol.HostTransport.
func (h *host) Deadline() (unit.Time, bool) {
	at := min(h.Silent(), h.running.due())
	if !h.asleep() {
		at = min(at, h.at)
	}
	return at, at < unit.Forever
}

// Expire implements protocol.HostTransport.
func (h *host) Expire(now unit.Time) {
	h.Now = now
	h.advance()
	for i := range h.running.links {
		if l := &h.running.links[i]; l.due <= now {
			h.give(l)
		}
	}
	h.LookForSilence()
}

// Check implements protocol.HostTransport.
func (h *host) Check() error {
	if err := h.Host.Check(); err != nil {
		return fmt.Errorf("dcpim: %w", err)
	}
	for _, e := range []*epoch{&h.matching, &h.running} {
		sum := 0
		for i, l := range e.links {
			sum += l.channels
			if l.channels < 1 {
				return fmt.Errorf("dcpim: %d channels from host %d", l.channels, l.peer)
			}
			for _, other := range e.links[:i] {
				if other.peer == l.peer {
					return fmt.Errorf("dcpim: host %d is matched twice", l.peer)
				}
			}
		}
		if sum != e.channels || sum > h.channels || e.promised < 0 || e.promised > h.channels {
			return fmt.Errorf("dcpim: %d channels are matched to receive, %d in all, and %d to send, of %d each", sum, e.channels, e.promised, h.channels)
		}
	}
	if h.held < 0 {
		return fmt.Errorf("dcpim: %d tokens are held back", h.held)
	}
	return nil
}
