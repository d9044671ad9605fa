package scenario_test

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"weft/scenario"
)

// lanedScenarios is how many random scenarios with pauses and detours are drawn; some cannot have lanes.
const lanedScenarios = 160

var classWritten = regexp.MustCompile(`\b(class(?:es)?): ([0-9])\b`)

var schedulerWritten = regexp.MustCompile(`, scheduler: ([a-z]+|\{[^}]*\})`)

// laned gives a random lossless scenario detours and lanes: its classes move up, so that there is room for the lanes below. It is false for
// what cannot have them: links that are paused by other queues than those of what came over them, buffers that are
// made for fewer classes, controls of one path or one class.
func (s *sketch) laned() bool {
	text := s.text.String()
	for _, no := range []string{"of: egress", "buffer:", "fncc", "rocc", "rcp", "direct"} {
		if strings.Contains(text, no) {
			return false
		}
	}
	const above = 5 // lanes below class 5
	text = classWritten.ReplaceAllStringFunc(text, func(found string) string {
		m := classWritten.FindStringSubmatch(found)
		n, _ := strconv.Atoi(m[2])
		return m[1] + ": " + strconv.Itoa(n+above)
	})
	s.rewrite(schedulerWritten.ReplaceAllString(text, ""))
	s.policy(oneOf(s.later, "valiant", "ugal", "{kind: ugal, threshold: 0B}", "{kind: ugal, information: global, delay: 700ns}"))
	return true
}

// TestRandomLanes runs random lossless scenarios with detours, two ways each: nothing is lost but to faults, nothing deadlocks without them, and
// the books of switches hold at the end of every window.
func TestRandomLanes(t *testing.T) {
	t.Parallel()
	ran := 0
	for i := range number(lanedScenarios) {
		s := newLosslessSketch(t, 600_000+i)
		if !s.laned() {
			continue
		}
		ran++
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			spec := load(t, s.text.String())
			want, links, _ := runLossless(t, s, scenario.RunOptions{Threads: 1, Check: true})
			for _, problem := range s.verifyLossless(spec, want, links) {
				t.Errorf("%s\n%s", problem, s.text.String())
			}
			if len(spec.Faults) == 0 && want.Summary.Deadlocked {
				t.Errorf("deadlock\n%s", s.text.String())
			}
			got, _, _ := runLossless(t, s, scenario.RunOptions{Threads: 2, Domains: 3})
			if got.Summary.ResultHash != want.Summary.ResultHash {
				t.Errorf("result hash %s, and with other cuts %s\n%s", want.Summary.ResultHash, got.Summary.ResultHash, s.text.String())
			}
		})
	}
	if ran < number(lanedScenarios)/8 {
		t.Errorf("only %d of %d scenarios can have lanes", ran, number(lanedScenarios))
	}
}
