package scenario

import (
	"fmt"
	"slices"

	"weft/config"
	"weft/unit"
)

const topologyKey = "topology"

// linkKeys are the link options that most kinds of topology share. Users expect them to
// survive a change of the kind.
var linkKeys = [...]string{"rate", "uplink_rate", "delay", "uplink_delay", "switch_latency"}

// lostKey is a link option that a change of the topology's kind removed.
type lostKey struct {
	who, key, value string
}

// lostKeys lists the link options that before sets, and that after, which has another kind,
// does not.
func lostKeys(before, after *config.Node, who string) []lostKey {
	before, after = before.Get(topologyKey), after.Get(topologyKey)
	if before == after || before == nil || after == nil || kindOf(before) == kindOf(after) {
		return nil
	}
	var lost []lostKey
	for _, key := range linkKeys {
		if given(before.Get(key)) && !given(after.Get(key)) {
			lost = append(lost, lostKey{who, key, before.Get(key).Text})
		}
	}
	return lost
}

// kindOf returns the kind of a choice, which is a name or a mapping with the name.
func kindOf(choice *config.Node) string {
	if choice.Kind == config.Mapping {
		if choice = choice.Get(config.KindKey); choice == nil {
			return ""
		}
	}
	return choice.Text
}

// noticesOf returns one notice for each removed option whose value in s differs from the
// removed value. s is the scenario that root resolved to.
func noticesOf(lost []lostKey, root *config.Node, s *Scenario) (notices []string) {
	if len(lost) == 0 {
		return nil
	}
	resolved, err := config.Encoder{}.Encode(s.Topology.Options)
	if err != nil {
		return nil // Resolved reports it
	}
	for _, l := range lost {
		now := resolved.Get(l.key)
		if now == nil || given(root.Get(topologyKey).Get(l.key)) {
			continue // the new kind has no such option, or a later layer set its value
		}
		becomes := "it has its default now"
		if given(now) {
			if sameAmount(l.value, now.Text) {
				continue
			}
			becomes = "it is " + now.Text + " now"
		}
		text := fmt.Sprintf("%s: topology.%s of the base (%s) does not carry over to another kind; %s; to keep it, write %[2]s: %[3]s beside kind: %[5]s",
			l.who, l.key, l.value, becomes, s.Topology.Kind)
		if !slices.Contains(notices, text) {
			notices = append(notices, text)
		}
	}
	return notices
}

// sameAmount reports whether two texts are the same rate or the same time.
func sameAmount(a, b string) bool {
	if x, err := unit.ParseRate(a); err == nil {
		y, err := unit.ParseRate(b)
		return err == nil && x == y
	}
	x, err := unit.ParseTime(a)
	y, other := unit.ParseTime(b)
	return err == nil && other == nil && x == y
}
