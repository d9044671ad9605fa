package scenario_test

import (
	"testing"

	"weft/scenario"
)

// often has switches notify often in small networks.
const often = "transport.congestion={kind: direct, period: 300ns, threshold: 500B, gap: 400ns}"

// Random scenarios with pauses whose switches stamp acknowledgements and notify senders give the same results, whichever way they
// are run, and account for each frame.
func TestDirectAnyWay(t *testing.T) {
	t.Parallel()
	runs, told := 0, 0
	for i := 0; i < number(200); i += everyWay {
		s := newLosslessSketch(t, i)
		if verified("testdata/scenario.yaml", s.text.String(), often) != nil { // paths that are not symmetric, or two controllers
			continue
		}
		runs++
		want := sameAnyWay(t, s, i, often)
		if differ(want, runRandom(t, s, scenario.RunOptions{}, "transport.congestion=fncc")) != "" {
			told++
		}
	}
	if runs < number(200)/everyWay/3 || told < runs/3 {
		t.Errorf("%d scenarios, of which %d differ from FNCC's", runs, told)
	}
}
