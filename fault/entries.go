package fault

import (
	"fmt"

	"weft/catalog"
	"weft/problem"
	"weft/unit"
)

// Entries returns the faults that a scenario can name.
func Entries() []catalog.Entry[Fault] {
	return []catalog.Entry[Fault]{
		catalog.Define("link-down",
			"links fail, for a time or permanently",
			"ARCANE §4.3.3", build[LinkDown]).Alias("link-failure", "failure"),
		catalog.Define("link-up",
			"links come up again, whatever took them down",
			"ARCANE §4.3.3", build[LinkUp]),
		catalog.Define("missing",
			"permanently absent links; routing avoids them, but loads, windows and ideal times count them",
			"ARCANE §4.3.2", build[Absent]),
		catalog.Define("degrade",
			"links run at a lower rate",
			"ARCANE §4.3.2", build[Degrade]),
		catalog.Define("loss",
			"links lose each frame with a probability, independently",
			"ARCANE §4.3.3", build[Loss]),
		catalog.Define("flap",
			"links fail and recover periodically",
			"ARCANE §4.3.3", build[Flap]),
		catalog.Define("switch-down",
			"switches fail with all their links, for a time or permanently",
			"ARCANE §4.3.3", build[SwitchDown]).Alias("switch-failure"),
		catalog.Define("script",
			"failures from a failure script of htsim, as in the artefact of REPS",
			"REPS artefact", build[Script]).Alias("failures_input", "failures-input"),
	}
}

// build returns the options as a fault. Expand checks them against a graph.
func build[F Fault](options F) (Fault, error) { return options, nil }

// LinkDown takes links down.
type LinkDown struct {
	Where
	Sample
	When
	Cutting
}

// Expand implements Fault.
func (o LinkDown) Expand(s Site) ([]Episode, []Mark, error) {
	t, err := o.targets(s, o.Sample, o.KeepConnected)
	if err != nil {
		return nil, nil, fmt.Errorf("link-down: %w", err)
	}
	return t.during("link-down", o.When, Episode{What: Down}, "down", "up")
}

// LinkUp ends every Down that is in force on its links.
type LinkUp struct {
	Where
	At unit.Time `yaml:"at" doc:"When the links come up."`
}

// Expand implements Fault.
func (o LinkUp) Expand(s Site) ([]Episode, []Mark, error) {
	t, err := o.targets(s, Sample{}, false)
	if err != nil {
		return nil, nil, fmt.Errorf("link-up: %w", err)
	}
	return t.during("link-up", When{At: o.At}, Episode{What: Up}, "up", "")
}

// Absent removes links from the network from the start.
type Absent struct {
	Links []string `yaml:"links" doc:"Links, by patterns such as tor0->spine0 or tor*->spine*."`
	Sample
	Cutting
}

// Expand implements Fault.
func (o Absent) Expand(s Site) ([]Episode, []Mark, error) {
	s.Follow = true // no route ever includes these links
	t, err := Where{Links: o.Links}.targets(s, o.Sample, o.KeepConnected)
	if err != nil {
		return nil, nil, fmt.Errorf("missing: %w", err)
	}
	return t.during("missing", When{}, Episode{What: Missing}, "missing", "")
}

// Degrade slows links down.
type Degrade struct {
	Where
	Rate Bandwidth `yaml:"rate" doc:"Rate that remains, such as 200Gbps, or its share of the link's own, such as 50%."`
	Sample
	When
}

// Expand implements Fault.
func (o Degrade) Expand(s Site) ([]Episode, []Mark, error) {
	t, err := o.targets(s, o.Sample, false)
	if err != nil {
		return nil, nil, fmt.Errorf("degrade: %w", err)
	}
	episodes, marks, err := t.during("degrade", o.When, Episode{What: SetRate}, "at "+o.Rate.String(), "at full rate")
	if err != nil {
		return nil, nil, err
	}
	for i := range episodes {
		e := &episodes[i]
		e.Rate, err = o.Rate.of(s.Graph.Links[e.Port.Link()].Rate)
		if err != nil {
			return nil, nil, fmt.Errorf("degrade: %s: %w", s.Graph.PortName(e.Port), err)
		}
	}
	return episodes, marks, nil
}

// Loss loses frames at random. A link that loses every frame counts as down.
type Loss struct {
	Where
	Probability unit.Ratio `yaml:"probability" doc:"Probability that a frame is lost on the link." max:"100%"`
	Sample
	When
	Cutting
}

// Expand implements Fault.
func (o Loss) Expand(s Site) ([]Episode, []Mark, error) {
	if !(o.Probability > 0 && o.Probability <= 1) {
		return nil, nil, problem.At("probability", "loss: probability is %v", o.Probability).Mend("it must be above 0 and at most 100%%")
	}
	t, err := o.targets(s, o.Sample, o.KeepConnected)
	if err != nil {
		return nil, nil, fmt.Errorf("loss: %w", err)
	}
	return t.during("loss", o.When, Episode{What: SetLoss, Loss: o.Probability},
		"loses "+o.Probability.String(), "loses no more")
}

// SwitchDown takes switches down with all their links.
type SwitchDown struct {
	Switches []string `yaml:"switches" doc:"Switches, by patterns such as spine0 or spine*."`
	Sample
	When
	Cutting
}

// Expand implements Fault.
func (o SwitchDown) Expand(s Site) ([]Episode, []Mark, error) {
	t, err := switchTargets(s, o.Switches, o.Sample, o.KeepConnected)
	if err != nil {
		return nil, nil, fmt.Errorf("switch-down: %w", err)
	}
	return t.during("switch-down", o.When, Episode{What: Down}, "down", "up")
}
