package scenario_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"weft"
	"weft/scenario"
	"weft/unit"
)

// TestLargestFrames gives every control frames that are larger than a frame can be, in either direction. The refusal names the key
// and the most that is allowed, with which the run goes no faster than its links.
func TestLargestFrames(t *testing.T) {
	t.Parallel()
	const base = `weft: 1
topology: {kind: leaf-spine, tors: 2, hosts_per_tor: 2, spines: 1, rate: 100Gbps}
transport: {congestion: %s, balancer: ecmp, %s}
traffic: [{name: a, pattern: {kind: pairs, pairs: ["host0->host2", "host1->host2"]}, size: 2MB}]
until: 5ms
stuck_after: 1ms
`
	most := regexp.MustCompile(`write (payload|ack\.reply|ack\.size): ([0-9]+B) or less`)
	controls := weft.Builtin().Congestion.Names()
	controls = append(controls, "{kind: hpcc, int_bytes: 1KiB}", "{kind: fncc, stamp_bytes: 64B}")
	ran := map[string]int{}
	for _, control := range controls {
		for _, option := range []string{"payload: %v", "ack: {reply: %v}", "ack: {size: %v}"} {
			build := func(v string) (*scenario.Scenario, error) {
				text := fmt.Sprintf(base, control, fmt.Sprintf(option, v))
				f, err := scenario.Parse("x.yaml", []byte(text), weft.Builtin(), nil)
				if err != nil {
					return nil, err
				}
				_, err = f.Variants[0].Verify()
				return f.Variants[0], err
			}
			if _, err := build("100B"); err != nil {
				continue // which is refused for something else
			}
			_, err := build("65535B")
			if err == nil {
				if strings.HasPrefix(option, "payload") { // beside a header of 64 B
					t.Errorf("%s: %s of 65535B is taken", control, option)
				}
				continue
			}
			m := most.FindStringSubmatch(err.Error())
			if m == nil {
				if strings.Contains(err.Error(), "a frame has at most") {
					t.Errorf("%s, %s: no remedy: %v", control, option, err)
				}
				continue
			}
			var allowed int
			if _, err := fmt.Sscanf(m[2], "%dB", &allowed); err != nil {
				t.Fatal(err)
			}
			if _, err := build(fmt.Sprintf("%dB", allowed+1)); err == nil || !strings.Contains(err.Error(), "a frame has at most") {
				t.Errorf("%s, %s: one byte more than %v is taken: %v", control, option, m[2], err)
			}
			s, err := build(m[2])
			if err != nil {
				if strings.Contains(err.Error(), "a frame has at most") {
					t.Errorf("%s, %s: the remedy is refused: %v", control, option, err)
				}
				continue // queues are too small, for example
			}
			res, err := scenario.Run(t.Context(), s, scenario.RunOptions{Check: true})
			if err != nil {
				t.Errorf("%s, %s: %v", control, option, err)
				continue
			}
			ran[m[1]]++
			for _, p := range res.Ports {
				const frame = 65535
				if carried := p.Rate.In(res.Summary.Simulated) + frame; unit.Bytes(p.SentBytes) > carried {
					t.Errorf("%s, %s: %s sent %v in %v, of %v", control, option, p.Name, unit.Bytes(p.SentBytes), res.Summary.Simulated, carried)
				}
			}
		}
	}
	t.Logf("scenarios with the largest frames by key: %v", ran)
	if ran["payload"] < 10 || ran["ack.reply"] < 5 {
		t.Errorf("too few scenarios ran with the largest frames: %v", ran)
	}
}

// TestFramesOfTwoBytes refuses a frame that would not fit 16 bits once switches have stamped it, and says what to write.
func TestFramesOfTwoBytes(t *testing.T) {
	t.Parallel()
	const text = `weft: 1
topology: {kind: star, hosts: 2, rate: 100Gbps}
fabric: {pfc: 500KB}
transport: {payload: 65471B, congestion: hpcc, balancer: ecmp}
traffic: [{name: a, pattern: {kind: pairs, pairs: ["host0->host1"]}, size: 10MB}]
`
	_, err := scenario.Parse("x.yaml", []byte(text), weft.Builtin(), nil)
	if want := "x.yaml:4:22: transport.payload: with payload: 65471B data frames have up to 65577 bytes"; err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "write payload: 65429B or less") {
		t.Errorf("%v, want %s", err, want)
	}
}
