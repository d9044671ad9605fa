package scenario_test

import (
	"fmt"
	"testing"

	"weft/record"
	"weft/scenario"
)

// TestHostedOverTrimming lets all other hosts send to one over queues of a few frames that
// trim what they have no room for: what was cut off is sent again, and no message ends
// before all of its payload was there.
func TestHostedOverTrimming(t *testing.T) {
	for _, control := range []string{
		"{kind: sird, preset: paper, silence: 200us}", "{kind: sird, preset: nsdi25, silence: 200us, unscht: inf}",
		"{kind: homa, resend: 200us, priorities: 6, overcommit: 3, scheduled: 3, cutoffs: [1kB, 9kB]}", "{kind: dcpim, resend: 200us}", "{kind: phost}",
	} {
		t.Run(control, func(t *testing.T) {
			text := hostedTop + fmt.Sprintf(`fabric: {classes: 8, queue: 20kB, overflow: trim, trim: {queue: 4kB}}
transport: {payload: 1000B, header: 64B, congestion: %s, balancer: ops}
traffic: [{name: main, pattern: {kind: incast, receiver: host0}, size: 60kB}]
stuck_after: 100ms
`, control)
			res := execute(t, parsed(t, text), scenario.RunOptions{Check: true})
			s := &res.Summary
			if s.Ended != record.Drained || s.Unfinished != 0 || s.Messages != 7 {
				t.Fatalf("%d of %d messages unfinished, ended %s: %s", s.Unfinished, s.Messages, s.Ended, s.Cause)
			}
			if s.Trims == 0 || s.Retransmits == 0 {
				t.Errorf("%d frames trimmed, %d packets sent again", s.Trims, s.Retransmits)
			}
			// Seven times 60 kB in frames of 1064 B, over the receiver's link.
			const least = 7 * 60 * 1064 * 80 // ps
			if s.Runtime < least {
				t.Errorf("all was delivered after %v, which the link cannot carry in less than %v ps", s.Runtime, least)
			}
		})
	}
}
