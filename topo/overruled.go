package topo

import (
	"fmt"
	"strings"

	"weft/unit"
)

// Overruled returns a notice about given options that have no effect on g, because the file
// that g was built from sets these values itself. The notice is empty if each option has an
// effect. To find out, it reads the file again with other values for these options.
func (o Custom) Overruled(g *Graph, given func(option string) bool) (string, error) {
	if o.File == nil {
		return "", nil
	}
	rate, uplink := given("rate"), given("uplink_rate") && o.UplinkRate != nil
	delay, latency := given("delay"), given("switch_latency")
	if !rate && !uplink && !delay && !latency {
		return "", nil
	}
	other := o
	if rate {
		other.Rate = o.Rate/2 + 1
	}
	if uplink {
		between := *o.UplinkRate/2 + 1
		other.UplinkRate = &between
	}
	if delay {
		other.Delay = o.Delay/2 + 1
	}
	if latency {
		other.SwitchLatency = o.SwitchLatency/2 + 1
	}
	changed, err := other.build()
	if err != nil {
		return "", fmt.Errorf("graph: %w", err)
	}
	if len(changed.Links) != len(g.Links) || len(changed.Nodes) != len(g.Nodes) {
		return "", fmt.Errorf("graph: %s changed while it was read", *o.File)
	}
	for i := range g.Links {
		was, is := &g.Links[i], &changed.Links[i]
		if was.Rate != is.Rate {
			if uplink && g.Nodes[was.A].Kind == Switch && g.Nodes[was.B].Kind == Switch {
				uplink = false
			} else {
				rate = false
			}
		}
		delay = delay && was.Delay == is.Delay
	}
	for i := range g.Nodes {
		latency = latency && g.Nodes[i].Latency == changed.Nodes[i].Latency
	}
	var options []string
	for _, option := range []struct {
		unused bool
		text   string
	}{
		{rate, "rate: " + o.Rate.String()},
		{uplink, "uplink_rate: " + value(o.UplinkRate)},
		{delay, "delay: " + o.Delay.String()},
		{latency, "switch_latency: " + o.SwitchLatency.String()},
	} {
		if option.unused {
			options = append(options, option.text)
		}
	}
	if len(options) == 0 {
		return "", nil
	}
	return fmt.Sprintf("%s: the file takes precedence, so %s without effect: it applies only to links and switches without a value in the file. Change the file, or leave it out",
		*o.File, isOrAre(options)), nil
}

func value(r *unit.Rate) string {
	if r == nil {
		return ""
	}
	return r.String()
}

func isOrAre(options []string) string {
	if len(options) == 1 {
		return options[0] + " is"
	}
	last := len(options) - 1
	return strings.Join(options[:last], ", ") + " and " + options[last] + " are each"
}
