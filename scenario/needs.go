package scenario

import "fmt"

// ControlNeeds returns what a scenario must have for a congestion control of a registry with its
// defaults, as it is written there, and what the control does where no port marks, if that is
// not what is meant. It knows nothing of controls that cannot be built by their defaults.
func ControlNeeds(reg *Registry, name string) (needs []string, unmarked string) {
	e, ok := reg.Congestion.Lookup(name)
	if !ok {
		return nil, ""
	}
	c, ok := byDefault(e.Defaults, e.Build)
	if !ok {
		return nil, ""
	}
	if n := c.Host.Classes; n > 1 {
		text := fmt.Sprintf("fabric.classes: %d or more", n)
		if c.Host.Fewer {
			text += " (other options do with fewer)"
		}
		needs = append(needs, text)
	}
	if c.Host.Credits {
		needs = append(needs, "fabric.credits: {}")
	}
	if c.NeedsTrimming {
		needs = append(needs, "fabric.overflow: "+trimming, "a limit of fabric.queue")
	}
	if c.TrimRatio > 0 {
		needs = append(needs, fmt.Sprintf("fabric.trim.ratio: %d (its default)", c.TrimRatio))
	}
	if c.NeedsMarks {
		needs = append(needs, "fabric.ecn other than off")
	}
	switch {
	case c.Host.Symmetric:
		needs = append(needs, "transport.balancer: "+hashing)
	case c.NewHost != nil && !c.Echoes:
		needs = append(needs, "a transport.balancer that learns nothing, such as ops")
	}
	return needs, c.Unmarked
}
