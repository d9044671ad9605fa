package scenario_test

import (
	"fmt"
	"slices"
	"strings"

	"weft/protocol"
	"weft/record"
	"weft/scenario"
	"weft/unit"
)

// verifyLossless returns what is wrong with the result of a lossless scenario.
func (s *sketch) verifyLossless(spec *scenario.Scenario, res *record.Result, links map[string]scenario.Paused) (problems []string) {
	wrong := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	sum := &res.Summary
	if err := verifyEnd(spec, res); err != nil {
		wrong("%v", err)
	}
	for i := range res.Flows {
		if err := verifyFlow(spec, &res.Flows[i]); err != nil {
			wrong("message %+v: %v", res.Flows[i], err)
		}
	}
	for _, err := range verifyMessages(spec, s.graph, res) {
		wrong("%v", err)
	}
	healthy := len(spec.Faults) == 0
	if healthy && (sum.Ended == record.Stuck || sum.LostToCongestion.Frames+sum.LostToFaults.Frames > 0) {
		wrong("it ended as %s (%s), %d frames lost", sum.Ended, sum.Cause, sum.LostToCongestion.Frames)
	}
	for _, name := range s.graph.PortNames() { // in order
		p := links[name]
		sent, heard, resumes := uint64(0), uint64(0), uint64(0)
		for k := range p.Sent {
			sent += p.Sent[k]
			heard += p.Heard[k]
			resumes += p.Resumes[k]
		}
		switch {
		case p.Overrun > 0 && s.keepsLinks(spec):
			wrong("%s dropped %d frames for want of headroom", name, p.Overrun)
		case heard > sent, resumes > sent:
			wrong("%s: of %d pauses %d were obeyed, %d taken back", name, sent, heard, resumes)
		case healthy && sum.Ended == record.Drained && (resumes != heard && !strings.Contains(s.text.String(), "slow_hosts") || // whose last pause may outlast the run
			heard != sent && spec.Fabric.PFC.Quanta == nil): // refreshed ones are sent again
			wrong("%s: %d pauses, %d obeyed, %d taken back, and all that was sent arrived", name, sent, heard, resumes)
		}
	}
	return problems
}

// keepsLinks tells whether no fault of a scenario takes links down. A pause cannot cross one that is down, and
// is forgotten when it fails, so that more comes than headroom holds.
func (s *sketch) keepsLinks(spec *scenario.Scenario) bool {
	text := s.text.String()
	return len(spec.Faults) == 0 || !strings.Contains(text, "-down") && !strings.Contains(text, "kind: flap") && !strings.Contains(text, "kind: missing")
}

// What a share of the lossless scenarios must reach.
const (
	pausesHeard  = "pauses"
	headroomUsed = "headroom in use"
	stampsOnAcks = "stamps on acknowledgements"
	stampsOnData = "stamps on data"
)

func (c *coverage) countLossless(s *scenario.Scenario, res *record.Result, links map[string]scenario.Paused, stamped uint64) {
	c.runs++
	pauses, hosts, headroom := false, false, false
	for name, p := range links {
		for k := range p.Heard {
			pauses = pauses || p.Heard[k] > 0
			hosts = hosts || p.Heard[k] > 0 && strings.HasPrefix(name, "host")
			if f := s.Fabric.PFC; f.Model == "fixed" && f.Of == "ingress" {
				reserve := unit.Bytes(0)
				if f.Reserve != nil {
					reserve = *f.Reserve
				}
				headroom = headroom || p.Most[k] > reserve+*f.XOff
			}
		}
	}
	onData := slices.ContainsFunc(s.Traffic, func(t scenario.Traffic) bool {
		b, err := t.Transport.Congestion.Build()
		return err == nil && b.Stamping == protocol.OnData
	})
	sum := &res.Summary
	c.hit(pausesHeard, pauses)
	c.hit("hosts paused", hosts)
	c.hit(headroomUsed, headroom)
	c.hit(stampsOnAcks, stamped > 0)
	c.hit(stampsOnData, onData && sum.PacketsDelivered > 0)
	c.hit(faults, len(s.Faults) > 0 && struck(res))
	c.hit("drained", sum.Ended == record.Drained)
	c.hit("stuck", sum.Ended == record.Stuck)
	c.hit("marks", sum.ECNMarks > 0)
	c.hit("timeouts", sum.Timeouts > 0)
	c.hit("lost to congestion", sum.LostToCongestion.Frames > 0)
	c.hit("several groups", len(sum.Groups) > 1)
}
