package scenario_test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"weft/record"
	"weft/record/section/pauses"
	"weft/scenario"
)

// slowScenarios is how many random scenarios with slow hosts are run; -short runs a tenth.
const slowScenarios = 200

// slowed gives some hosts of a random lossless scenario a rate at which they take frames, unless some have one.
func (s *sketch) slowed(d draw) {
	text := s.text.String()
	if strings.Contains(text, "slow_hosts") {
		return
	}
	var entries []string
	hosts := d.Perm(len(s.graph.Hosts))
	for _, h := range hosts[:min(len(hosts), d.between(1, 2))] {
		xoff, xon := 1, 0
		if d.chance(0.7) {
			xoff = d.between(2, 6) * (s.payload + s.header)
			xon = d.IntN(xoff)
		}
		entries = append(entries, fmt.Sprintf("{hosts: [host%d], rate: %s, xoff: %dB, xon: %dB}",
			h, oneOf(d, "100Mbps", "1Gbps", "1Gbps", "9999999937bps", "40Gbps"), xoff, xon))
	}
	s.rewrite(strings.Replace(text, "pfc: {", "pfc: {slow_hosts: ["+strings.Join(entries, ", ")+"], ", 1))
}

// expires makes pauses expire that nobody takes back.
func (s *sketch) expires(d draw) {
	text := quantaWritten.ReplaceAllString(s.text.String(), "")
	s.rewrite(strings.Replace(text, "pfc: {", fmt.Sprintf("pfc: {quanta: %d, refresh: 0%%, ", oneOf(d, 20, 200, 2000)), 1))
}

var quantaWritten = regexp.MustCompile(`(, )?quanta: [0-9]+`)

// TestRandomSlowHosts runs random scenarios whose hosts take frames slowly, which pause their switches. By whatever queue,
// threads, cuts and records, checked or not, each gives the same; nothing is paused for longer than the run takes, a run that
// drained leaves no frame behind, and nothing is lost where pauses hold and nothing fails.
func TestRandomSlowHosts(t *testing.T) {
	t.Parallel()
	var c coverage
	for i := range number(slowScenarios) {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			s := newLosslessSketch(t, i)
			d := newDraw(4_000_000 + i)
			s.slowed(d)
			expires := d.chance(0.2)
			if expires {
				s.expires(d)
			}
			spec := load(t, s.text.String())
			want := runRandom(t, s, scenario.RunOptions{Threads: 1}, "engine.queue="+queues()[i%len(queues())])
			sum, whole := &want.Summary, spec.Measure == (scenario.Measure{})
			if err := verifyEnd(spec, want); err != nil {
				t.Errorf("%v\n%s", err, s.text.String())
			}
			for _, p := range want.Pauses {
				if p.Time > sum.Simulated || p.Time < 0 || whole && p.Resumes > p.Sent {
					t.Errorf("in %v: %+v\n%s", sum.Simulated, p, s.text.String())
				}
			}
			if pauses.Of(sum.Sections) != nil && pauses.Of(sum.Sections).Share > 1 {
				t.Errorf("paused for %v of the run\n%s", pauses.Of(sum.Sections).Share, s.text.String())
			}
			if sum.Ended == record.Drained && whole && len(spec.Faults) == 0 {
				for k := range want.Ports {
					if p := &want.Ports[k]; p.Frames != p.SentFrames+p.FlushedFrames {
						t.Errorf("the network is drained, and %d frames wait in %s\n%s", p.Frames-p.SentFrames-p.FlushedFrames, p.Name, s.text.String())
					}
				}
			}
			if lost := sum.LostToCongestion.Frames + sum.LostToFaults.Frames; len(spec.Faults) == 0 && !expires && lost > 0 {
				t.Errorf("%d frames were lost\n%s", lost, s.text.String())
			}
			for k, w := range ways(i * everyWay) {
				if k%3 != i%3 { // the others are for other scenarios
					continue
				}
				got := runRandom(t, s, w.RunOptions, w.sets...)
				if diff := differ(want, got); diff != "" {
					t.Errorf("%+v: %s\n%s", w, diff, s.text.String())
				}
			}
			c.runs++
			paused := false
			for _, p := range want.Pauses {
				paused = paused || p.Pauses > 0 && strings.Contains(p.Port, "->host")
			}
			c.hit(slowPauses, paused)
			c.hit("pauses that expire", expires)
			c.hit("drained", sum.Ended == record.Drained)
			c.hit("stuck", sum.Ended == record.Stuck)
			c.hit(faults, len(spec.Faults) > 0 && struck(want))
			c.hit("timeouts", sum.Timeouts > 0)
		})
	}
	c.reportOf(t, number(slowScenarios), slowPauses, faults)
}

// slowPauses is what a share of the scenarios with slow hosts must reach.
const slowPauses = "pauses of hosts"
