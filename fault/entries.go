package fault

import (
	"fmt"
	"math/rand/v2"

	"weft/catalog"
	"weft/topo"
	"weft/unit"
)

// Entries returns the faults that a scenario can name.
func Entries() []catalog.Entry[Fault] {
	return []catalog.Entry[Fault]{
		catalog.Define("link-down",
			"links fail, for a time or for good",
			"ARCANE §4.3.3", build[LinkDown]),
		catalog.Define("link-up",
			"links come up again, whatever took them down",
			"ARCANE §4.3.3", build[LinkUp]),
		catalog.Define("degrade",
			"links run at a lower rate",
			"ARCANE §4.3.2", build[Degrade]),
		catalog.Define("loss",
			"links lose each frame with a probability, independently",
			"ARCANE §4.3.3", build[Loss]),
		catalog.Define("flap",
			"links fail and come up periodically",
			"ARCANE §4.3.3", build[Flap]),
		catalog.Define("switch-down",
			"switches fail with all their links, for a time or for good",
			"ARCANE §4.3.3", build[SwitchDown]),
	}
}

// build makes a fault of its options: what they lack shows when they meet a graph.
func build[F Fault](options F) (Fault, error) { return options, nil }

// LinkDown takes links down.
type LinkDown struct {
	Links  []string    `yaml:"links" doc:"Links, by patterns such as tor0->spine0 or tor*->spine*."`
	At     unit.Time   `yaml:"at" default:"0ns" doc:"When the links fail."`
	For    *unit.Time  `yaml:"for" doc:"For how long; for good when absent."`
	OneWay bool        `yaml:"one_way" default:"false" doc:"Whether only the direction that the pattern names fails."`
	Share  *unit.Ratio `yaml:"share" doc:"Share of the matching links that fail, chosen at random, at least one; all when absent." max:"100%"`
	Pick   *int        `yaml:"pick" doc:"Number of the matching links that fail, chosen at random; all when absent." min:"1"`
}

// Expand implements Fault.
func (o LinkDown) Expand(g *topo.Graph, r *rand.PCG) ([]Episode, []Mark, error) {
	from, to, err := span(o.At, o.For)
	if err != nil {
		return nil, nil, wrap("link-down", err)
	}
	t, err := selection{o.Links, o.OneWay, o.Share, o.Pick}.choose(g, r)
	if err != nil {
		return nil, nil, wrap("link-down", err)
	}
	episodes, marks := t.episodes(Episode{From: from, To: to, What: Down}, "down", "up")
	return episodes, marks, nil
}

// LinkUp ends all downs of links that are in force.
type LinkUp struct {
	Links  []string  `yaml:"links" doc:"Links, by patterns such as tor0->spine0 or tor*->spine*."`
	At     unit.Time `yaml:"at" doc:"When the links come up."`
	OneWay bool      `yaml:"one_way" default:"false" doc:"Whether only the direction that the pattern names comes up."`
}

// Expand implements Fault.
func (o LinkUp) Expand(g *topo.Graph, r *rand.PCG) ([]Episode, []Mark, error) {
	at, _, err := span(o.At, nil)
	if err != nil {
		return nil, nil, wrap("link-up", err)
	}
	t, err := selection{links: o.Links, oneWay: o.OneWay}.choose(g, r)
	if err != nil {
		return nil, nil, wrap("link-up", err)
	}
	episodes, marks := t.episodes(Episode{From: at, What: Up}, "up", "")
	return episodes, marks, nil
}

// Degrade slows links down.
type Degrade struct {
	Links  []string    `yaml:"links" doc:"Links, by patterns such as tor0->spine0 or tor*->spine*."`
	Rate   Bandwidth   `yaml:"rate" doc:"Rate that is left, such as 200Gbps, or its share of the link's own, such as 50%."`
	At     unit.Time   `yaml:"at" default:"0ns" doc:"When the links slow down."`
	For    *unit.Time  `yaml:"for" doc:"For how long; for good when absent."`
	OneWay bool        `yaml:"one_way" default:"false" doc:"Whether only the direction that the pattern names slows down."`
	Share  *unit.Ratio `yaml:"share" doc:"Share of the matching links that slow down, chosen at random, at least one; all when absent." max:"100%"`
	Pick   *int        `yaml:"pick" doc:"Number of the matching links that slow down, chosen at random; all when absent." min:"1"`
}

// Expand implements Fault.
func (o Degrade) Expand(g *topo.Graph, r *rand.PCG) ([]Episode, []Mark, error) {
	from, to, err := span(o.At, o.For)
	if err != nil {
		return nil, nil, wrap("degrade", err)
	}
	t, err := selection{o.Links, o.OneWay, o.Share, o.Pick}.choose(g, r)
	if err != nil {
		return nil, nil, wrap("degrade", err)
	}
	episodes, marks := t.episodes(Episode{From: from, To: to, What: SetRate}, "at "+o.Rate.String(), "at full rate")
	for i := range episodes {
		e := &episodes[i]
		e.Rate, err = o.Rate.of(g.Links[e.Port.Link()].Rate)
		if err != nil {
			return nil, nil, wrap("degrade", fmt.Errorf("%s: %w", g.PortName(e.Port), err))
		}
	}
	return episodes, marks, nil
}

// Loss loses frames at random.
type Loss struct {
	Links       []string    `yaml:"links" doc:"Links, by patterns such as tor0->spine0 or tor*->spine*."`
	Probability unit.Ratio  `yaml:"probability" doc:"Probability that a frame is lost on the link." max:"100%"`
	At          unit.Time   `yaml:"at" default:"0ns" doc:"When the losses begin."`
	For         *unit.Time  `yaml:"for" doc:"For how long; for good when absent."`
	OneWay      bool        `yaml:"one_way" default:"false" doc:"Whether only the direction that the pattern names loses frames."`
	Share       *unit.Ratio `yaml:"share" doc:"Share of the matching links that lose frames, chosen at random, at least one; all when absent." max:"100%"`
	Pick        *int        `yaml:"pick" doc:"Number of the matching links that lose frames, chosen at random; all when absent." min:"1"`
}

// Expand implements Fault.
func (o Loss) Expand(g *topo.Graph, r *rand.PCG) ([]Episode, []Mark, error) {
	from, to, err := span(o.At, o.For)
	if err == nil && !(o.Probability > 0 && o.Probability <= 1) {
		err = fmt.Errorf("probability is %v; it is more than 0 and at most 100%%", o.Probability)
	}
	if err != nil {
		return nil, nil, wrap("loss", err)
	}
	t, err := selection{o.Links, o.OneWay, o.Share, o.Pick}.choose(g, r)
	if err != nil {
		return nil, nil, wrap("loss", err)
	}
	episodes, marks := t.episodes(Episode{From: from, To: to, What: SetLoss, Loss: o.Probability},
		"loses "+o.Probability.String(), "loses no more")
	return episodes, marks, nil
}

// SwitchDown takes switches down with all their links.
type SwitchDown struct {
	Switches []string    `yaml:"switches" doc:"Switches, by patterns such as spine0 or spine*."`
	At       unit.Time   `yaml:"at" default:"0ns" doc:"When the switches fail."`
	For      *unit.Time  `yaml:"for" doc:"For how long; for good when absent."`
	Share    *unit.Ratio `yaml:"share" doc:"Share of the matching switches that fail, chosen at random, at least one; all when absent." max:"100%"`
	Pick     *int        `yaml:"pick" doc:"Number of the matching switches that fail, chosen at random; all when absent." min:"1"`
}

// Expand implements Fault.
func (o SwitchDown) Expand(g *topo.Graph, r *rand.PCG) ([]Episode, []Mark, error) {
	from, to, err := span(o.At, o.For)
	if err != nil {
		return nil, nil, wrap("switch-down", err)
	}
	t, err := chooseSwitches(g, r, o.Switches, o.Share, o.Pick)
	if err != nil {
		return nil, nil, wrap("switch-down", err)
	}
	episodes, marks := t.episodes(Episode{From: from, To: to, What: Down}, "down", "up")
	return episodes, marks, nil
}

func wrap(name string, err error) error {
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
