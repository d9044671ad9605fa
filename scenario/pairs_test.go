package scenario_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"weft"
	"weft/protocol"
	"weft/record"
	"weft/scenario"
)

// pairings is what is pinned of all combinations of balancer, congestion control and
// pattern of the built-in registry.
type pairings struct {
	Revision int `json:"result_revision"`
	// Refused lists the pairs that cannot be had, with what is missing.
	Refused map[string]string `json:"refused"`
	// Scenarios has, for each of the others, a hash of what studies know its runs by. If
	// it changes, as with a default, results may without another revision.
	Scenarios map[string]string `json:"scenarios"`
	// Results has the beginning of the hash for each pattern.
	Results map[string]map[string]string `json:"results"`
}

const pairingsFile = "testdata/pairings.json"

// patternOptions says how traffic is written whose pattern has options without a default.
var patternOptions = map[string]string{
	"pairs":       "pattern: {kind: pairs, pairs: [host0->host9, host1->host9, host5->host2, host15->host0]}, size: 400kB",
	"bursts":      "pattern: {kind: bursts, senders: 8, interval: 100us, count: 2}, size: 100kB",
	"connections": "pattern: {kind: connections, file: testdata/pairings.cm}",
	"flow-file":   "pattern: {kind: flow-file, file: testdata/pairings.flows}",
	"trace":       "pattern: {kind: trace, file: testdata/pairings.goal}",
}

// pairing returns the scenario of a cell: 16 hosts under 4 ToRs, with half as many
// uplinks as hosts, so that queues overflow, or as much in pods where traffic is between these; and with trimming where losses have to be
// known from it.
func pairing(t *testing.T, balancer, congestion, pattern string) (*scenario.Scenario, error) {
	t.Helper()
	traffic, ok := patternOptions[pattern]
	if !ok {
		traffic = "pattern: " + pattern + ", size: 400kB"
	}
	network := `{kind: fat-tree, tiers: 2, hosts_per_tor: 4, tors: 4, oversubscription: "2:1", rate: 100Gbps}`
	if pattern == "group-shift" { // between pods
		network = `{kind: fat-tree, tiers: 3, hosts_per_tor: 2, tors_per_pod: 2, pods: 4, uplinks_per_tor: 1, rate: 100Gbps}`
	}
	fabric := "overflow: drop"
	switch c := byDefault(t, congestion); {
	case c.Needs.Must.Has(protocol.Credits):
		fabric = "classes: 2, credits: {data: 4160B}"
	case c.Needs.Must.Has(protocol.Telemetry):
		fabric = "telemetry: {}"
	case c.Needs.Must.Has(protocol.Trimming):
		fabric = "overflow: trim"
	case c.Needs.Classes > 1:
		fabric = fmt.Sprintf("classes: %d", c.Needs.Classes)
	}
	f, err := scenario.Parse("pairing.yaml", fmt.Appendf(nil, `weft: 1
topology: %s
fabric: {host_jitter: none, queue: 1BDP, ecn: red, %s}
transport: {recovery: selective, balancer: %s, congestion: %s}
traffic:
  - {name: main, %s}
`, network, fabric, balancer, congestion, traffic), weft.Builtin(), nil)
	if err != nil {
		return nil, err
	}
	return f.Variants[0], nil
}

func byDefault(t *testing.T, congestion string) protocol.CongestionControl {
	t.Helper()
	e, ok := weft.Builtin().Congestion.Lookup(congestion)
	if !ok {
		t.Fatalf("no control %q", congestion)
	}
	o, err := e.Defaults()
	if err != nil {
		t.Fatalf("%s: %v; a control that has no default needs an entry in this test", congestion, err)
	}
	c, err := e.Build(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// drawn tells whether three parts are among the third of all that run together. Any two parts do so with some
// third one, and new parts change nothing for others.
func drawn(parts ...string) bool {
	sum := 0
	for _, part := range parts {
		for _, letter := range []byte(part) {
			sum += int(letter)
		}
	}
	return sum%3 == 0
}

// TestPairings runs every balancer with every congestion control, each of them with a third of the patterns of the
// registry, and ecmp, which goes with each control, with all. Each delivers all its messages, misses no frame, byte or credit, and has the
// result that is pinned; or the pair is in the list of those refused, and the scenario is
// refused with what is missing.
func TestPairings(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("many runs, each on one thread")
	}
	reg := weft.Builtin()
	refused := map[string]string{}
	for _, r := range scenario.Refusals(reg) {
		refused[r.Balancer+" x "+r.Congestion] = r.Missing
	}
	results, scenarios := map[string]map[string]string{}, map[string]string{}
	for _, b := range reg.Balancers.Names() {
		for _, c := range reg.Congestion.Names() {
			pair := b + " x " + c
			cells, known := map[string]string{}, sha256.New()
			for _, p := range reg.Patterns.Names() {
				if b != "ecmp" && !drawn(b, c, p) {
					continue
				}
				name := pair + " x " + p
				s, err := pairing(t, b, c, p)
				missing, no := refused[pair]
				switch {
				case err != nil && !no:
					t.Errorf("%s is refused, but is not among the pairs that are (scenario.Refusals): %v\nIf %s has an option without a default, say in patternOptions how it is written.", name, err, p)
				case err == nil && no:
					t.Errorf("%s is among the pairs that are refused (%s), but was accepted", pair, missing)
				case err != nil && !strings.Contains(err.Error(), missing):
					t.Errorf("%s is refused without telling what is missing (%s): %v", pair, missing, err)
				case err == nil:
					cells[p] = runPairing(t, name, s)
					identity, err := s.Identity(nil)
					if err != nil {
						t.Fatalf("%s: %v", name, err)
					}
					fmt.Fprintln(known, identity)
				}
			}
			if len(cells) > 0 {
				results[pair], scenarios[pair] = cells, hex.EncodeToString(known.Sum(nil)[:8])
			}
		}
	}
	if !t.Failed() {
		comparePairings(t, pairings{scenario.ResultRevision, refused, scenarios, results})
	}
}

func runPairing(t *testing.T, name string, s *scenario.Scenario) string {
	t.Helper()
	res, err := scenario.Run(t.Context(), s, scenario.RunOptions{Check: true})
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return ""
	}
	if sum := &res.Summary; sum.Ended != record.Drained || sum.Messages == 0 || sum.Unfinished != 0 {
		t.Errorf("%s: %d of %d messages are unfinished, and the run ended %s", name, sum.Unfinished, sum.Messages, sum.Ended)
	}
	return res.Summary.ResultHash[:16]
}

// comparePairings compares results with the pinned ones, or pins them.
func comparePairings(t *testing.T, got pairings) {
	t.Helper()
	const remedy = `If this is meant, pin it with

	go test ./scenario -run TestPairings -update

and say in the commit why results change; new combinations need no reason.`
	var want pairings
	text, err := os.ReadFile(pairingsFile)
	if err == nil {
		err = json.Unmarshal(text, &want)
	}
	if err != nil && !*update {
		t.Fatalf("nothing is pinned: %v\n%s", err, remedy)
	}
	// Among what changed is unexplained what the same scenario gave before.
	var changed, unexplained, other []string
	if want.Revision != got.Revision {
		other = append(other, fmt.Sprintf("pinned at revision %d of results; it is %d now", want.Revision, got.Revision))
	}
	for _, pair := range slices.Sorted(maps.Keys(got.Results)) {
		for _, p := range slices.Sorted(maps.Keys(got.Results[pair])) {
			switch pinned := want.Results[pair][p]; {
			case pinned == "":
				other = append(other, pair+" x "+p+" is not pinned")
			case pinned != got.Results[pair][p]:
				changed = append(changed, pair+" x "+p)
				if want.Scenarios[pair] == got.Scenarios[pair] {
					unexplained = append(unexplained, pair+" x "+p)
				}
			}
		}
		if want.Scenarios[pair] != got.Scenarios[pair] {
			other = append(other, pair+" is of other scenarios than the pinned ones")
		}
	}
	for _, pair := range slices.Sorted(maps.Keys(want.Results)) {
		for p := range want.Results[pair] {
			if got.Results[pair][p] == "" {
				other = append(other, pair+" x "+p+" is pinned, but did not run")
			}
		}
	}
	if !maps.Equal(got.Refused, want.Refused) {
		other = append(other, fmt.Sprintf("pairs that are refused: %v, pinned: %v", got.Refused, want.Refused))
	}
	switch {
	case !*update && len(changed)+len(other) > 0:
		t.Errorf("%d results changed:\n%s\n%s\n%s", len(changed), strings.Join(changed, "\n"), strings.Join(other, "\n"), remedy)
	case *update && len(unexplained) > 0 && want.Revision == got.Revision:
		t.Fatalf("%d results change, among them %s; raise scenario.ResultRevision first, so that studies repeat runs whose results a release before this made", len(unexplained), unexplained[0])
	case *update:
		text, err := json.MarshalIndent(got, "", "\t")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(pairingsFile, append(text, '\n'), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}
