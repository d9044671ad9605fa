package scenario

import (
	"cmp"
	"fmt"

	"weft/config"
	"weft/fabric"
	"weft/problem"
	"weft/protocol"
	"weft/record"
	"weft/record/section/credits"
	"weft/scenario/internal/watch"
	"weft/transport"
	"weft/unit"
)

// class returns the class of credits that the fabric's ports have.
func (f *Fabric) class() protocol.CreditClass {
	c := f.Credits
	if c == nil {
		return protocol.CreditClass{}
	}
	return protocol.CreditClass{Credit: c.Credit, Data: c.Data, Queue: c.Queue, Burst: c.Burst}
}

// creditClass checks the options of the class of credits.
func (v *validation) creditClass([]carrier) {
	f := &v.s.Fabric
	c := f.Credits
	if c == nil {
		return
	}
	if f.Overflow != trimming && f.Classes < 2 {
		v.wrong("fabric.credits", problem.New("credits have class 0 to themselves, but with fabric.classes: %d data has no other class", f.Classes).Mend("write classes: 2").Due("fabric.classes"))
	}
	if c.Queue < c.Credit {
		v.errorf("fabric.credits.queue", "%v does not hold one credit of %v", c.Queue, c.Credit)
	}
}

// dataClasses returns the used classes that can be lossless. Credits have class 0 to
// themselves, so it is never one of them.
func (f *Fabric) dataClasses(used uint8) uint8 {
	if f.Credits == nil {
		return used
	}
	return cmp.Or(used&^1, 2)
}

// planCredits gives credits the first class of each port.
func (p *plan) planCredits(f *Fabric) error {
	if p.queues.port.Credit = f.class(); p.queues.port.Credit.On() {
		p.queues.first = 1
	}
	return nil
}

// credits makes ports limit credits if a control needs that. Credits take a class of their
// own.
func (b *bringing) credits() (classes int, why string) {
	if b.s.Fabric.Credits == nil {
		kind, of := b.needing(protocol.Credits)
		if of == nil || b.s.places.Given("fabric.credits") {
			return 0, ""
		}
		b.add("fabric.credits", creditsFor(of.t.Payload+of.t.Header), kind+" needs ports that limit credits")
	}
	return 2, "credits have a class to themselves"
}

// creditsFor returns the options of a class of credits for data frames up to a size.
func creditsFor(frame unit.Bytes) *config.Node {
	var c Credits
	if _, err := (config.Decoder{}).Decode(&config.Node{Kind: config.Mapping}, &c); err == nil && frame <= c.Data {
		return options()
	}
	return options("data", frame.String())
}

var creditFeature = feature{
	name: "fabric.credits",
	conflicts: []conflict{
		{
			with: "fabric.overflow: trim", at: "fabric.credits",
			why:  "credits have class 0 to themselves, but with overflow: trim headers join it",
			ways: []way{{"write overflow: drop", protocol.Trimming}, {"remove fabric.credits", protocol.Credits}},
			file: func(f *Fabric) bool { return f.Credits != nil && f.Overflow == trimming },
		},
		{
			with: "fabric.nic: fifo", at: "fabric.nic",
			why: "hosts limit credits as ports do, but with nic: fifo all that they send waits in one queue", remedy: "write nic: pull",
			file: func(f *Fabric) bool { return f.Credits != nil && f.NIC == fifo },
		},
		{
			with: "data or acknowledgements of class 0", at: ".class", due: []string{"fabric.credits"},
			why: "class 0 is for credits alone, with fabric.credits", remedy: "write class: 1, or remove fabric.credits",
			sent: func(f *Fabric, c *carrier, _ []carrier) bool {
				return f.Credits != nil && !c.congestion.Needs.Must.Has(protocol.Credits) && (c.t.Class == 0 || c.t.Ack.Class != nil && *c.t.Ack.Class == 0)
			},
		},
	},
	offers: &need{
		need:    protocol.Credits,
		noun:    "ports that limit credits, in a class of their own",
		has:     func(f *Fabric) bool { return f.Credits != nil },
		written: keys("fabric.credits: {}"),
		without: "without fabric.credits",
		lack: func(q *inquiry) lack {
			return lack{why: "fabric.credits is absent", key: "fabric.credits", remedy: fmt.Sprintf("write fabric: {classes: %d, credits: %s}",
				max(2, q.fabric.Classes), written(creditsFor(q.carrier.t.Payload+q.carrier.t.Header)))}
		},
	},
	brings: (*bringing).credits,
	check:  (*validation).creditClass,
	plan:   (*plan).planCredits,
	attach: func(p *plan, c *transport.Config) { c.Credits = p.queues.port.Credit },
	watch:  watchCreditPackets,
	effects: []effect{
		{[]string{"fabric.credits"}, "credits sent", (*review).actedCredits},
	},
}

// creditPackets counts credit packets within the measured window.
type creditPackets struct {
	watched
	before, after protocol.CreditCounts
}

func watchCreditPackets(w watched, _ *window) watch.Observer { return &creditPackets{watched: w} }

// Open saves the counts from before the window.
func (s *creditPackets) Open(now unit.Time) { s.before, _ = s.Transport.CreditCounts(now) }

// Close saves the counts at the end of the window.
func (s *creditPackets) Close(now unit.Time) { s.after, _ = s.Transport.CreditCounts(now) }

// Audit checks that every credit that left a host arrived, was dropped, is on its way, or
// waits at its host for an interrupt.
func (s *creditPackets) Audit(now unit.Time) error {
	c, ok := s.Transport.CreditCounts(now)
	if !ok {
		return nil
	}
	dropped := uint64(0)
	faulty := uint64(0)
	for _, p := range counted(s.Scene, now, nil) {
		dropped += p.Drops[fabric.CreditQueueFull]
		for reason, n := range p.Drops {
			if fabric.Reason(reason).IsFault() {
				faulty += n
			}
		}
	}
	lost := c.Sent - c.Received - dropped
	t, _ := s.Network.Totals()
	underway := t.Injected - t.Delivered - t.Dropped + s.Transport.Held()
	if c.Received+dropped > c.Sent || lost > underway+faulty {
		return fmt.Errorf("credits: %d were sent, %d arrived and %d were dropped by ports; %d frames are in flight and %d were lost to faults", c.Sent, c.Received, dropped, underway, faulty)
	}
	return nil
}

// Section adds the counts of credits, if there were any.
func (s *creditPackets) Section(_ *watch.Moment, res *record.Result) {
	a, b := &s.before, &s.after
	if b.Issued == 0 {
		return
	}
	res.Summary.Sections.Add(&credits.Packets{
		Issued: int64(b.Issued - a.Issued), Refused: int64(b.Refused - a.Refused), Sent: int64(b.Sent - a.Sent),
		Received: int64(b.Received - a.Received), Used: int64(b.Used - a.Used), Wasted: int64(b.Wasted - a.Wasted),
	})
}

// actedCredits reports a class of credits in which nobody sent a credit.
func (v *review) actedCredits() {
	if c, _ := v.Transport.CreditCounts(v.Now); v.queues.port.Credit.On() && c.Issued == 0 {
		v.never("fabric.credits", "", "no credit was sent")
	}
}
