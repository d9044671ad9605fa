package scenario

import (
	"strings"

	"weft/catalog"
)

// Presets returns, by group of traffic, the presets of its congestion control and its
// balancer, as in "sird nsdi25". Groups without presets are left out.
func (s *Spec) Presets() map[string]string {
	list := map[string]string{}
	add := func(group string, t *Transport) {
		var words []string
		for _, c := range []catalog.Chooser{&t.Congestion, &t.Balancer} {
			if preset := catalog.Preset(c); preset != "" {
				kind, _ := c.Chosen()
				words = append(words, kind+" "+preset)
			}
		}
		if len(words) > 0 {
			list[group] = strings.Join(words, ", ")
		}
	}
	for i := range s.Traffic {
		t := &s.Traffic[i]
		add(t.Name, &t.Transport)
		if t.Reply != nil {
			add(t.Name+repliesSuffix, &t.Reply.Transport)
		}
		if t.Background != nil {
			add(t.Name+backgroundSuffix, &t.Background.Transport)
		}
	}
	return list
}
