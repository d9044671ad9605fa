package fault

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"weft/unit"
)

// TestTimelinesTellWhatWasDrawn tells of those faults alone that leave something to chance,
// and what it names is what is hit.
func TestTimelinesTellWhatWasDrawn(t *testing.T) {
	g := fabric(t)
	up := Where{Links: []string{"tor*->spine*"}, OneWay: true}
	slow := func(pick int, at unit.Time) Degrade {
		return Degrade{Where: up, Rate: Bandwidth{Share: 0.5}, Sample: Sample{Pick: &pick}, When: When{At: at, For: ptr(us)}}
	}
	spine := SwitchDown{Switches: []string{"spine*"}, Sample: Sample{Pick: ptr(1)}, When: When{At: 40 * us}}
	tl, err := NewTimeline([]Fault{
		slow(4, 10*us), slow(3, 20*us), Degrade{Where: up, Rate: Bandwidth{Share: 0.5}, When: When{At: 50 * us}}, slow(1, 30*us), spine,
	}, g, 1, Options{})
	if err != nil {
		t.Fatal(err)
	}
	struck := map[unit.Time][]string{}
	for _, c := range tl.Changes {
		struck[c.At] = append(struck[c.At], g.PortName(c.Port))
	}
	down := "spine0"
	if struck[40*us][0] == "tor0->spine1" {
		down = "spine1"
	}
	want := []Drawn{
		{Fault: 1, Hit: 3, Matching: 4, What: "links", Names: struck[20*us]},
		{Fault: 3, Hit: 1, Matching: 4, What: "links", Names: struck[30*us]},
		{Fault: 4, Hit: 1, Matching: 2, What: "switches", Names: []string{down}},
	}
	if diff := cmp.Diff(want, tl.Drawn); diff != "" {
		t.Error(diff)
	}
}
