package scenario

import (
	"fmt"

	"weft/problem"
	"weft/topo"
	"weft/transport"
	"weft/unit"
	"weft/workload"
)

// setting is where traffic of a name among some hosts takes place.
func (p *plan) setting(name string, members []int32) workload.Setting {
	index := make(map[string]int32, len(p.graph.Hosts))
	for i, n := range p.graph.Hosts {
		index[p.graph.Nodes[n].Name] = int32(i)
	}
	return workload.Setting{
		Hosts:   len(p.graph.Hosts),
		Members: members,
		Name:    func(h int32) string { return p.graph.Nodes[p.graph.Hosts[h]].Name },
		Lookup: func(name string) (int32, bool) {
			h, ok := index[name]
			return h, ok
		},
		Node:     func(h int32) int32 { return int32(p.graph.Hosts[h]) },
		LineRate: func(h int32) unit.Rate { return p.graph.Links[p.uplinks[h].Link()].Rate },
		Edge: func(h int32) int32 {
			_, edge := p.graph.Ends(p.uplinks[h])
			return int32(edge)
		},
		Pod: func(h int32) int32 {
			_, edge := p.graph.Ends(p.uplinks[h])
			return p.graph.Nodes[edge].Group
		},
		Distances: func(edges []int32) [][]uint8 {
			list := make([]topo.NodeID, len(edges))
			for i, e := range edges {
				list[i] = topo.NodeID(e)
			}
			return topo.DistancesBetween(p.graph, list)
		},
		Seed: p.seed, Group: name,
	}
}

// traffic builds what a group of traffic says, but for its transport.
func (p *plan) traffic(s *Traffic) (workload.Traffic, workload.Setting, error) {
	t := workload.Traffic{Start: s.Start, Jitter: s.Jitter, LookAhead: s.LookAhead}
	if s.Stop != nil {
		t.Stop = *s.Stop
	}
	var setting workload.Setting
	var err error
	if t.Pattern, err = s.Pattern.Build(); err != nil {
		return t, setting, at("pattern", err)
	}
	if listed(t.Pattern) {
		t.Sizes = workload.Fixed(1) // of no meaning
	} else if t.Sizes, err = s.Size.Load(); err != nil {
		return t, setting, at("size", err)
	}
	if t.Arrival, err = s.Arrival.Build(); err != nil {
		return t, setting, at("arrival", err)
	}
	members, err := p.hosts(s.Hosts)
	if err != nil {
		return t, setting, at("hosts", err)
	}
	setting = p.setting(s.Name, members)
	if of, ok := t.Shares(); ok {
		carried, known := p.offering.carried[s.Name]
		if !known {
			if carried, err = p.share(of, t.Full(), setting); err != nil {
				return t, setting, at(loadPath(t), err)
			}
			p.offering.carried[s.Name] = carried
		}
		if t, err = t.Scaled(carried); err != nil {
			return t, setting, at(loadPath(t), err)
		}
	}
	setting.Kept = new(workload.Kept)
	return t, setting, nil
}

// loadPath is where a group says what its load is a share of.
func loadPath(t workload.Traffic) string {
	if _, ok := t.Pattern.(workload.Bursts); ok {
		return "pattern"
	}
	return "arrival"
}

// listed tells whether a pattern has a list of messages with their sizes.
func listed(p workload.Pattern) bool {
	o, ok := p.(workload.Ordered)
	return ok && o.Lists()
}

// planTraffic adds a group of traffic.
func (p *plan) planTraffic(s *Traffic) error {
	traffic, setting, err := p.traffic(s)
	if err != nil {
		return err
	}
	params, err := p.params(&s.Transport)
	if err != nil {
		return at("transport", err)
	}
	setting.PerPair, setting.Most = params.PerPair, mostOf(s)
	setting.Notice = p.notice
	sources, err := workload.NewSources(traffic, setting)
	if err != nil && problem.Of(err).Path == sizeKey && !listed(traffic.Pattern) {
		return err // of the group's own key
	}
	if err != nil {
		return at("pattern", err)
	}
	for _, source := range sources {
		if _, ok := source.(workload.Signaller); ok {
			p.grouped.signals = true
		}
	}
	p.offers(s, traffic, setting, &params)
	messages, size, known := workload.Total(traffic, setting)
	if !known {
		messages, size = 0, 0
	}
	if s.Arrival.Kind == atOnce {
		if err := p.checkMessages(messages, s, &params); err != nil {
			return at("arrival", err)
		}
	}
	if p.groups == nil || p.grouped.expected > 0 {
		p.grouped.expected += size
	}
	group := transport.Group{Name: s.Name, Params: params, Sources: sources, Tenant: p.grouped.tenants[s.tenant()]}
	if s.LookAhead != workload.ListNone && s.LookAhead != "" {
		if err := s.checkLists(p.frames.hops); err != nil {
			return err
		}
		if group.Members, err = p.lookAhead(s, &params, setting.Members); err != nil {
			return at("look_ahead", err)
		}
	}
	p.grouped.aside = append(p.grouped.aside, !s.Slowdowns)
	if s.Background == nil {
		p.groups = append(p.groups, group)
		p.grouped.planned = append(p.grouped.planned, messages)
		return at("reply", p.planReplies(s, setting, messages))
	}
	if params, err = p.params(&s.Background.Transport); err != nil {
		return at("background", at("transport", err))
	}
	other := transport.Group{Name: s.Name + backgroundSuffix, Params: params, Twin: -1, Tenant: group.Tenant, Members: group.Members}
	group.Twin = 1
	group.Sources, other.Sources, err = workload.Divide(sources, s.Background.Share, setting)
	p.groups = append(p.groups, group, other)
	p.grouped.planned = append(p.grouped.planned, 0, 0) // draws tell which message is whose
	p.grouped.aside = append(p.grouped.aside, !s.Slowdowns)
	return at("background", err)
}

// mostOf returns the largest message that a group's transport can carry, and that of its
// background.
func mostOf(s *Traffic) unit.Bytes {
	payload := s.Transport.Payload
	if s.Background != nil {
		payload = min(payload, s.Background.Transport.Payload)
	}
	return payload * transport.MaxPackets
}

// planReplies adds the replies to a group of traffic, right behind it. There are as many
// as messages.
func (p *plan) planReplies(s *Traffic, setting workload.Setting, messages int64) error {
	if s.Reply == nil {
		return nil
	}
	sizes, err := s.Reply.Size.Load()
	if err != nil {
		return at("size", err)
	}
	params, err := p.params(&s.Reply.Transport)
	if err != nil {
		return at("transport", err)
	}
	group := transport.Group{Name: s.Name + repliesSuffix, Params: params, Answers: true, Tenant: p.grouped.tenants[s.tenant()]}
	setting.Group, setting.Most = group.Name, s.Reply.Transport.Payload*transport.MaxPackets
	if group.Sources, err = workload.NewReplies(workload.Replies{Sizes: sizes, After: s.Reply.After}, setting); err != nil {
		return err
	}
	p.groups = append(p.groups, group)
	p.grouped.planned = append(p.grouped.planned, messages)
	p.grouped.aside = append(p.grouped.aside, !s.Slowdowns)
	return nil
}

// backgroundSuffix is what the name of a group's background adds to the group's.
const backgroundSuffix = "-background"

// repliesSuffix is the same for the replies to a group.
const repliesSuffix = "-replies"

// derived returns the names of the groups that a group of traffic makes beside itself.
func (t *Traffic) derived() (names []string) {
	if t.Reply != nil {
		names = append(names, t.Name+repliesSuffix)
	}
	if t.Background != nil {
		names = append(names, t.Name+backgroundSuffix)
	}
	return names
}

// ordering checks what a group says beside a pattern that orders its messages.
func (v *validation) ordering(path string, t *Traffic, pattern workload.Pattern) {
	o, ok := pattern.(workload.Ordered)
	if !ok {
		return
	}
	if once, ok := t.Arrival.Options.(*workload.Once); !ok || once.Count != 1 {
		v.wrong(path+".arrival", problem.New("%s sets the start of its messages itself", t.Pattern.Kind).Mend("%s", insteadOfArrival(t)))
	}
	if r, ok := pattern.(workload.Repeated); ok {
		if r.Endless() && v.s.Until == nil && t.Stop == nil {
			v.wrong(path+".pattern", problem.New("%s never ends", t.Pattern.Kind).Mend("set the end of the run, as in until: 10ms, the last start of a message, as in stop: 10ms, or a count"))
		}
		return
	}
	if o.Lists() && t.Jitter != 0 {
		v.wrong(path+".jitter", problem.New("the list of %s sets when its messages start", t.Pattern.Kind).Mend("remove this"))
	}
	if t.Stop != nil {
		v.wrong(path+".stop", problem.New("%s sets how much is sent itself", t.Pattern.Kind).Mend("remove this, or set the end of the run with until:"))
	}
	switch given := t.Size != (workload.SizeSpec{Rule: workload.Linear}); {
	case !o.Lists() && (t.Size.CDF != "" || t.Size.Workload != ""):
		v.wrong(path+".size", problem.New("%s has the same bytes at every rank", t.Pattern.Kind).Mend("give one size, as in 32MiB"))
	case o.Lists() && given:
		v.wrong(path+".size", problem.New("%s sets the sizes of its messages itself", t.Pattern.Kind).Mend("remove this"))
	}
}

// insteadOfArrival says what to write in the place of an arrival that a pattern does not
// take.
func insteadOfArrival(t *Traffic) string {
	b, ok := t.Pattern.Options.(*workload.Bursts)
	switch {
	case !ok:
		return "remove this (repeat: makes collectives follow each other, and rounds: those of a stencil)"
	case b.Load != nil:
		return fmt.Sprintf("remove this: the pattern's load of %v sets how often they start", *b.Load)
	case b.Interval != nil:
		return fmt.Sprintf("remove this: the pattern's interval starts one every %v", *b.Interval)
	}
	load := unit.Ratio(0.05)
	if p, ok := t.Arrival.Options.(*workload.Poisson); ok && p.Load != nil {
		load = *p.Load
	}
	return fmt.Sprintf("remove this, and set the rate in the pattern, as in pattern: {kind: %s, load: %v}", t.Pattern.Kind, load)
}

// GroupNames returns the names of the groups that traffic runs in: each group's, and
// those of its replies and its background.
func (s *Spec) GroupNames() (names []string) {
	for i := range s.Traffic {
		t := &s.Traffic[i]
		names = append(append(names, t.Name), t.derived()...)
	}
	return names
}
