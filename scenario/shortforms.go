package scenario

import (
	"slices"
	"strings"

	"weft/config"
	"weft/problem"
)

const (
	trafficKey   = "traffic"
	transportKey = "transport"
	replyKey     = "reply"
	sizeKey      = "size"
	workloadKey  = "workload"
)

// shortForms expands the short forms in a tree: in groups of traffic and their replies,
// workload: NAME stands for size: NAME. It applies to files and to assignments and variants
// on top of them.
func shortForms(root *config.Node) (*config.Node, error) {
	traffic := root.Get(trafficKey)
	if traffic == nil {
		return root, nil
	}
	errs := new(config.Error)
	long := *traffic
	switch traffic.Kind {
	case config.Sequence:
		long.Items = slices.Clone(traffic.Items)
		for i, group := range long.Items {
			long.Items[i] = longGroup(group, errs)
		}
	case config.Mapping: // in assignments: groups by index or name
		long.Fields = slices.Clone(traffic.Fields)
		for i, f := range long.Fields {
			long.Fields[i].Value = longGroup(f.Value, errs)
		}
	}
	return root.With(config.Field{Key: trafficKey, Place: traffic.Place, Value: &long}), errs.Err()
}

// longGroup returns a group of traffic without short forms.
func longGroup(group *config.Node, errs *config.Error) *config.Node {
	group = longSize(group, errs)
	if reply := group.Get(replyKey); reply != nil {
		group = group.With(config.Field{Key: replyKey, Place: reply.Place, Value: longSize(reply, errs)})
	}
	return group
}

func longSize(n *config.Node, errs *config.Error) *config.Node {
	if n == nil || n.Kind != config.Mapping || n.Get(workloadKey) == nil {
		return n
	}
	if n.Get(sizeKey) != nil {
		errs.Report(n.Get(workloadKey).Place, problem.New("workload says how large messages are, and so does size").Mend("give one of them"))
		return n.Without(workloadKey)
	}
	long := *n
	long.Fields = slices.Clone(n.Fields)
	for i := range long.Fields {
		f := &long.Fields[i]
		if f.Key != workloadKey {
			continue
		}
		f.Key = sizeKey
		if v := f.Value; v.Kind == config.Scalar && strings.ContainsAny(v.Text[:min(1, len(v.Text))], "0123456789") {
			errs.Report(v.Place, problem.New("%.40q is no workload but a size", v.Text).Mend("write size: %s", v.Text))
		}
	}
	return &long
}
