package phost

import (
	"fmt"

	"weft/internal/ranked"
	"weft/protocol"
	"weft/protocol/internal/deadlines"
	"weft/protocol/internal/tokens"
	"weft/unit"
)

// host is pHost at one host. Messages are those of tokens.Host.
type host struct {
	tokens.Host
	*config
	// due is when the next token may be given; Forever if something has to arrive first.
	due unit.Time
	// busy is until when the downlink takes what was given tokens, free ones included.
	busy unit.Time
	// gave is when the last token was given.
	gave unit.Time
	// open are the incomplete messages that may have a token, the best first; held are the
	// others, each until when. A message whose time has come is held until a token is given.
	open ranked.Heap
	held deadlines.Set
}

func newHost(c *config, env protocol.HostEnv) *host {
	h := &host{config: c, due: unit.Forever}
	h.Start(&c.messages, env.Out)
	h.open.Before = h.Better
	return h
}

// Receive implements protocol.HostTransport.
func (h *host) Receive(now unit.Time, p *protocol.Packet) (fresh unit.Bytes) {
	h.Now = now
	switch p.Kind {
	case tokens.Data, tokens.Notice:
		return h.onData(p)
	case tokens.Token:
		h.OnToken(p, now+h.life)
	case tokens.Done:
		h.OnDone(p)
	case tokens.Withdraw:
		h.onWithdraw(p)
	case tokens.Withdrawn:
		h.OnWithdrawn(p)
	}
	return 0
}

// onData takes a packet with payload or one that announces a message.
func (h *host) onData(p *protocol.Packet) (fresh unit.Bytes) {
	before := h.Pending()
	i, begins := h.Learn(p)
	if i >= 0 {
		if begins {
			h.busy = max(h.busy, h.Now) + unit.Time(h.Free(p.Size))*h.gap
		}
		if p.Kind == tokens.Data {
			fresh = h.Take(i, p)
		}
		h.file(i)
		h.hasten() // the message may have been downgraded, or be the only one
	}
	if p.Kind == tokens.Data {
		h.Answer(before, p)
	}
	return fresh
}

// hasten has the next token given as soon as the downlink has room for what it brings.
func (h *host) hasten() {
	if h.due > h.busy && h.Incomplete > 0 {
		h.due = max(h.busy, h.Now)
		h.give()
	}
}

// give gives the next token, if it is due, and decides when the one after it is.
func (h *host) give() {
	if h.Now < max(h.due, h.busy) {
		h.due = max(h.due, h.busy)
		return
	}
	best := h.best()
	if best < 0 {
		_, h.due = h.held.First()
		return
	}
	h.Message(best).Forget(h.window - 1)
	h.Give(best, 0)
	h.file(best)
	h.gave = h.Now
	h.busy = h.Now + h.gap
	h.due = h.busy
}

// best returns the message to give a token to, or -1 if none may have one.
func (h *host) best() int32 {
	for i, at := h.held.First(); at <= h.Now; i, at = h.held.First() {
		h.held.Remove(i)
		h.open.Put(i)
	}
	if h.open.Len() == 0 {
		return -1
	}
	return h.open.First()
}

// file notes whether a message may have a token, or that it is complete, after anything about it
// has changed.
func (h *host) file(i int32) {
	switch at := h.eligible(i); {
	case h.Message(i).Left == 0:
		h.open.Remove(i)
		h.held.Remove(i)
	case at > h.Now:
		h.open.Remove(i)
		h.held.Put(i, at)
	default:
		h.held.Remove(i)
		h.open.Put(i)
	}
}

// eligible returns from when on a message may have a token if nothing arrives.
func (h *host) eligible(i int32) unit.Time {
	m := h.Message(i)
	if m.Unanswered() < h.window {
		return m.Hold
	}
	return max(m.Hold, m.Last+h.downgrade)
}

// Next implements protocol.HostTransport.
func (h *host) Next(now unit.Time, p *protocol.Packet) bool {
	h.Now = now
	return h.Host.Next(p)
}

// Deadline implements protocol.HostTransport.
func (h *host) Deadline() (unit.Time, bool) {
	at := min(h.Silent(), h.due)
	return at, at < unit.Forever
}

// Expire implements protocol.HostTransport.
func (h *host) Expire(now unit.Time) {
	h.Now = now
	if now >= h.due {
		h.give()
	}
	h.LookForSilence()
}

// Check implements protocol.HostTransport.
func (h *host) Check() error {
	if err := h.Host.Check(); err != nil {
		return fmt.Errorf("phost: %w", err)
	}
	if n := h.open.Len() + h.held.Len(); n != h.Incomplete {
		return fmt.Errorf("phost: %d messages are incomplete, and %d may have tokens now or later", h.Incomplete, n)
	}
	if h.Incomplete > 0 && h.due == unit.Forever {
		return fmt.Errorf("phost: %d messages are incomplete, and no token is due", h.Incomplete)
	}
	return nil
}
