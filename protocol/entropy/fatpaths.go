package entropy

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"weft/internal/nearest"
	"weft/problem"
	"weft/protocol"
	"weft/unit"
)

// FatPaths moves a connection from layer to layer of its routes (Besta et al., SC 2020, §III-B,
// §V-A and §V-F), to another one, each as likely. The entropy, modulo the number of layers, is the tag of the layer.
// Change says when. By default that is as over NDP: with each flowlet, when the receiver asks for
// it because headers arrived without their payload, and after a loss. The paper has flowlets of LetFlow's gap of 50 µs
// (§VII-A6), at 10 Gb/s: congestion on a layer slows a connection down, so that it pauses
// more often and leaves, whereas a fast layer keeps it.
//
// Over TCP (§VIII-A1) a connection begins on the layer with all links and takes another one whenever its congestion window is
// reduced: First "minimal" and Change "cut", "loss" and "timeout". The paper's ICMP message about a missing route has no
// counterpart, since switches fall back on minimal paths there; a timeout stands for the one about a failed link. For the least latency (§VII-C)
// a connection stays on the layer with all links, and leaves it when its packets time out: First "minimal" and Change "timeout".
//
// A report of a trimmed packet is the request: it comes from the receiver, and changes nothing
// if the packet was sent with another entropy than the present one. That is a packet of another
// layer, or one of the present layer from before the connection left it and came back. The same holds of losses
// and timeouts, but those of unknown packets always count. The paper gives the request no form, nor says
// after how many headers it is made.
//
// Departure: each flowlet takes a random path in §III-B, which may be the present one. Here the present layer is left
// out of the draw, so that each change leaves it.
//
// Without layers it is flowlet switching that changes path for trimmed packets, too.
type FatPaths struct {
	Gap    unit.Time `yaml:"gap" default:"50us" min:"1ps" doc:"Pause between two packets of a connection after which the next one takes another layer, if change has gap." source:"FatPaths §VII-A6"`
	OnTrim bool      `yaml:"on_trim" default:"true" doc:"Whether a connection takes another layer when a packet that it sent on the present one was trimmed, if change has trim." source:"FatPaths §III-C"`
	First  string    `yaml:"first" default:"random" enum:"random,minimal" doc:"Layer on which a connection begins: any, or layer 0, which has all links." source:"FatPaths §III-B (random), §VIII-A1 (minimal)"`
	Change []string  `yaml:"change" default:"[gap, trim, loss, timeout]" doc:"When a connection takes another layer. gap: after a pause. trim, loss, timeout: when a packet that it sent on the present layer was trimmed, was overtaken by others (transport.recovery), or timed out. cut: when its congestion control makes the window smaller. Over TCP: [cut, loss, timeout], with first: minimal. For low latency: [timeout], with first: minimal. Empty is never." source:"FatPaths §III-B, §III-C (gap, trim); §VIII-A1 (cut, timeout)"`
}

// Words of Change.
const (
	afterGap     = "gap"
	afterTrim    = "trim"
	afterLoss    = "loss"
	afterTimeout = "timeout"
	afterCut     = "cut"
)

// reasons are the words of Change, and what they come to, for messages.
var reasons = []struct{ word, after string }{
	{afterGap, "pauses"}, {afterLoss, "losses"}, {afterTimeout, "timeouts"}, {afterCut, "cuts of its window"}, {afterTrim, ""},
}

// Build returns the balancer. It fails if an option is out of bounds.
func (o FatPaths) Build() (protocol.Balancer, error) {
	if o.Gap <= 0 {
		return protocol.Balancer{}, problem.At("gap", "fatpaths: gap is %v, shorter than any pause", o.Gap).Mend("to choose for each packet use ops")
	}
	if err := o.check(); err != nil {
		return protocol.Balancer{}, err
	}
	const last = 32 // time of the last packet
	on := func(word string) bool { return slices.Contains(o.Change, word) }
	shape := fatPaths{
		gap: unit.Forever, first: o.First,
		onTrim: on(afterTrim) && o.OnTrim, onLoss: on(afterLoss), onTimeout: on(afterTimeout), onCut: on(afterCut),
	}
	if on(afterGap) {
		shape.gap = o.Gap
	}
	return protocol.Balancer{
		StateBits: bits + last,
		Reaction:  "changed its layer",
		Needs:     o.needs(),
		Routes:    2, Fewer: "is as flowlet on minimal paths",
		New: func(env protocol.Env) protocol.Entropy {
			c := shape
			c.draws, c.layers = draws{env.Rand, 1 << bits}, uint32(max(1, env.Layers))
			return &c
		},
	}, nil
}

// check reports a word of Change that there is not.
func (o *FatPaths) check() error {
	var words []string
	for _, r := range reasons {
		words = append(words, r.word)
	}
	slices.Sort(words)
	for _, word := range o.Change {
		if slices.Contains(words, word) {
			continue
		}
		use := "; use"
		if name, ok := nearest.Name(word, words); ok {
			use = fmt.Sprintf("; did you mean %q? Use", name)
		}
		return problem.At("change", "fatpaths: change has %.40q%s %s, as in [cut, loss, timeout]", word, use, strings.Join(words, ", "))
	}
	return nil
}

// needs returns what the reasons for a change rely on.
func (o *FatPaths) needs() (n protocol.Needs) {
	if slices.Contains(o.Change, afterCut) {
		n.Must, n.Otherwise = protocol.AckClock, "take cut out of change"
	}
	if !slices.Contains(o.Change, afterTrim) || !o.OnTrim {
		return n
	}
	var others []string
	for _, r := range reasons {
		if r.after != "" && slices.Contains(o.Change, r.word) {
			others = append(others, r.after)
		}
	}
	without := "never leaves a layer"
	if k := len(others) - 1; k >= 0 {
		without = "leaves a layer only after " + others[k]
		if k > 0 {
			without = "leaves a layer only after " + strings.Join(others[:k], ", ") + " and " + others[k]
		}
	}
	n.Wants = []protocol.Want{{Need: protocol.Trimming, Without: without}}
	return n
}

type fatPaths struct {
	draws
	layers                           uint32
	gap, last                        unit.Time // last is when the last packet was sent
	first                            string
	onTrim, onLoss, onTimeout, onCut bool
	entropy                          uint16
	moved                            bool // ever, since it was made
}

// Reacted implements protocol.Reactive.
func (c *fatPaths) Reacted() bool { return c.moved }

func (c *fatPaths) Start(now unit.Time) {
	c.entropy, c.last = c.draw(), now
	c.begin()
}

// begin puts a connection on the layer on which it starts.
func (c *fatPaths) begin() {
	if c.first == "minimal" {
		c.entropy -= uint16(uint32(c.entropy) % c.layers)
	}
}

// SetPaths implements protocol.PathChooser: explicit paths are layers of the pair.
func (c *fatPaths) SetPaths(paths []protocol.Path) {
	c.layers = placesOf(paths)
	c.begin()
}

// placesOf returns how many places paths have, of which an entropy says one as it says a layer.
func placesOf(paths []protocol.Path) uint32 {
	if len(paths) == 0 {
		return 1
	}
	last := &paths[len(paths)-1]
	return uint32(last.Entropy) + uint32(last.Weight)
}

func (c *fatPaths) Resume(unit.Time) {}

func (c *fatPaths) Next(now unit.Time) uint16 {
	if now-c.last > c.gap {
		c.move()
	}
	c.last = now
	return c.entropy
}

func (c *fatPaths) Acked(a *protocol.Ack) {
	if a.Cut && c.onCut {
		c.move()
	}
}

func (c *fatPaths) Lost(l *protocol.Loss) {
	on := c.onTimeout
	switch l.Cause {
	case protocol.Trimmed:
		on = c.onTrim
	case protocol.Missing:
		on = c.onLoss
	}
	if l.Cut && c.onCut || on && (l.Entropy == c.entropy || l.Unplaced) {
		c.move()
	}
}

// move takes another layer, with a new entropy in it; without layers, another entropy.
func (c *fatPaths) move() {
	c.moved = true
	if c.layers == 1 {
		c.entropy = c.draw()
		return
	}
	at := uint32(c.entropy) % c.layers
	c.entropy = inLayer(c.rand, (at+1+uint32(draw(c.rand, uint64(c.layers-1))))%c.layers, c.layers)
}

// inLayer draws an entropy of a layer. There are as many for each layer, so that none is preferred.
func inLayer(r *rand.PCG, layer, layers uint32) uint16 {
	return uint16(uint32(draw(r, uint64(1<<bits/layers)))*layers + layer)
}
