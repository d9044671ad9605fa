package fault

import (
	"fmt"
	"math"

	"weft/catalog"
	"weft/internal/portable"
	"weft/internal/userfile"
	"weft/problem"
	"weft/topo"
	"weft/unit"
)

// maxScript is the largest failure script that is read.
const maxScript = unit.MiB

// Readings of a failure script.
const (
	readingCode   = "code"
	readingReadme = "readme"
)

// Script applies a failure script of htsim, as found in the folder failures_input of the
// artefact of REPS (Bonato et al.: REPS, EuroSys 2026; htsim/sim/failuregenerator.cpp at
// commit 0f08120). The script gives the share that fails, the start, and the period from
// one failure to the next. Chance chooses links and switches whose failure leaves every two
// hosts a shortest path. In htsim the first ones that packets reach fail.
//
// The artefact's code and its README differ:
//
//	                          code                            readme
//	a cable that fails        one direction                   both
//	at most share p of cables  floor(p n) + 1                 floor(p n), at least 1
//	        ... of switches   floor(p n / 2) + 1              floor(p n), at least 1
//	        p = 1             one                             as many as leave the hosts connected
//	a degraded switch sends   at 1/(100 Degradation-Percent)  at 1 kbps
//
// In both, a degraded switch loses 10 % of packets. A degraded cable loses 33, 66 or
// 100 % with the probabilities 0.9, 0.09 and 0.01. A failure without Duration lasts to
// the end. (The README ends it after seconds to hours, the code after 100 s.)
// Random-Packet-Drop loses packets, including acknowledgements, at the sending host.
type Script struct {
	File    catalog.Path `yaml:"file" doc:"Failure script of htsim (failures_input of the artefact of REPS): lines such as Cable-Fail: ON."`
	Reading string       `yaml:"reading" enum:"code,readme" default:"code" doc:"What the script means: what the artefact's code does with it, or what its README says. They differ in the direction and the number of the cables that fail." source:"REPS artefact"`
	Until   *unit.Time   `yaml:"until" doc:"When failures stop to begin (default: at Stop-Failures-After of the script, or never). Required if failures end and others follow forever."`
}

// Expand implements Fault.
func (o Script) Expand(s Site) ([]Episode, []Mark, error) {
	text, err := userfile.Read(string(o.File), maxScript)
	if err != nil {
		return nil, nil, problem.At("file", "script: the failure script cannot be read: %w", err).Mend("a relative path starts from the scenario's folder")
	}
	read, err := readScript(string(text), string(o.File))
	if err != nil {
		return nil, nil, problem.At("file", "script: %w", err)
	}
	p := scriptPlan{script: read, site: s, code: o.Reading != readingReadme, until: read.stop, failed: map[topo.PortID]bool{}}
	if o.Until != nil {
		p.until = min(p.until, *o.Until)
	}
	p.safe = newConnectivity(s.Graph, s.Broken)
	for _, strike := range []func() error{p.failSwitches, p.failCables, p.slowSwitches, p.slowCables} {
		if err := strike(); err != nil {
			return nil, nil, fmt.Errorf("script: %w", err)
		}
	}
	p.dropPackets()
	return p.episodes, p.marks, nil
}

// failSwitches takes switches down with all their links.
func (p *scriptPlan) failSwitches() error {
	return p.strikeSwitches(p.switchFail, "down", "up", func(h outage) []Episode { return h.each(Episode{What: Down}) })
}

// strikeSwitches draws switches for one kind of failure. Marks call them begin when
// the failure starts and end when it is over.
func (p *scriptPlan) strikeSwitches(f failing, begin, end string, episodes func(outage) []Episode) error {
	if !f.on {
		return nil
	}
	all, err := p.switches()
	if err != nil {
		return err
	}
	hits, err := p.draw(f, all, p.most(f.most, len(all), 2), "switches")
	if err != nil {
		return err
	}
	p.add(hits, len(all), "switches", begin, end, episodes)
	return nil
}

// failCables takes cables down.
func (p *scriptPlan) failCables() error {
	f := p.cableFail
	if !f.on {
		return nil
	}
	all, err := p.cables(p.coreOnly)
	if err != nil {
		return err
	}
	most := p.most(f.most, len(p.site.Graph.Links), 1)
	switch {
	case p.perSwitch && f.lasts:
		return problem.New("Cable-Fail-Percent-Per-Switch and Cable-Fail-Duration are ON together, which weft does not support").Mend("turn one of them off")
	case p.perSwitch:
		most = ofEachSwitch
	}
	hits, err := p.draw(f, all, most, p.lines())
	if err != nil {
		return err
	}
	p.add(hits, len(all), p.lines(), "down", "up", func(h outage) []Episode { return h.each(Episode{What: Down}) })
	return nil
}

// slowSwitches slows the ports of switches, and loses a part of the packets that
// the switches receive.
func (p *scriptPlan) slowSwitches() error {
	g := p.site.Graph
	return p.strikeSwitches(p.switchSlow, "degraded", "whole", func(h outage) []Episode {
		episodes := h.each(Episode{What: SetLoss, Loss: 0.1})
		for i := range episodes {
			e := &episodes[i]
			if from, _ := g.Ends(e.Port); g.Nodes[from].Name == h.member.name {
				e.What, e.Loss, e.Rate = SetRate, 0, p.slowRate(g.Links[e.Port.Link()].Rate)
			}
		}
		return episodes
	})
}

// slowRate returns the rate that a degraded switch leaves a port.
func (p *scriptPlan) slowRate(own unit.Rate) unit.Rate {
	if !p.code {
		return min(own, unit.Kbps)
	}
	return min(own, max(1, unit.Rate(math.Round(float64(own)/(100*p.slowShare)))))
}

// Shares of packets that a cable loses when one or two thirds of it are broken, and
// the cumulative probabilities of these cases.
const (
	oneThird, twoThirds = 0.33, 0.66
	upToOne, upToTwo    = 0.9, 0.99
)

// slowCables makes cables lose packets.
func (p *scriptPlan) slowCables() error {
	f := p.cableSlow
	if !f.on {
		return nil
	}
	all, err := p.cables(false)
	if err != nil {
		return err
	}
	hits, err := p.draw(f, all, p.most(f.most, len(p.site.Graph.Links), 1), p.lines())
	if err != nil {
		return err
	}
	p.add(hits, len(all), p.lines(), "degraded", "whole", func(h outage) []Episode {
		loss := unit.Ratio(1)
		switch chance := portable.Uniform(p.site.Rand); {
		case chance < upToOne:
			loss = oneThird
		case chance < upToTwo:
			loss = twoThirds
		}
		return h.each(Episode{What: SetLoss, Loss: loss})
	})
	return nil
}

// dropPackets loses packets on the links from hosts.
func (p *scriptPlan) dropPackets() {
	if !p.drop || p.until <= 0 {
		return
	}
	g := p.site.Graph
	loss := unit.Ratio(math.Pow10(-p.dropRate))
	for port := range topo.PortID(2 * len(g.Links)) {
		if from, _ := g.Ends(port); g.Nodes[from].Kind == topo.Host {
			p.episodes = append(p.episodes, Episode{To: p.stop, Port: port, What: SetLoss, Loss: loss})
		}
	}
	p.marks = append(p.marks, Mark{What: "hosts lose " + loss.String()})
}
