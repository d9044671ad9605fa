package scenario

import (
	"fmt"

	"weft/problem"
	"weft/transport"
	"weft/unit"
	"weft/workload"
)

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
		return err // the error belongs to the group's own key
	}
	if err != nil {
		return at("pattern", err)
	}
	for h, source := range sources {
		if _, ok := source.(workload.Signaller); ok {
			p.grouped.signals = true
		}
		if n, ok := source.(workload.Neighbour); ok {
			if hosts := n.Beside(); len(hosts) > 1 && hosts[0] == int32(h) { // once per machine
				p.grouped.sharedDomain = append(p.grouped.sharedDomain, hosts)
			}
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
	p.grouped.withoutSlowdowns = append(p.grouped.withoutSlowdowns, !s.Slowdowns)
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
	p.grouped.planned = append(p.grouped.planned, 0, 0) // random choices decide which messages are in the background
	p.grouped.withoutSlowdowns = append(p.grouped.withoutSlowdowns, !s.Slowdowns)
	return at("background", err)
}

// planReplies adds the replies of a group of traffic as the next group. There is one reply
// per message.
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
	p.grouped.withoutSlowdowns = append(p.grouped.withoutSlowdowns, !s.Slowdowns)
	return nil
}

// derived returns the names of the groups for the replies and background of a group of
// traffic.
func (t *Traffic) derived() (names []string) {
	if t.Reply != nil {
		names = append(names, t.Name+repliesSuffix)
	}
	if t.Background != nil {
		names = append(names, t.Name+backgroundSuffix)
	}
	return names
}

// ordering checks the keys of a group next to a pattern that orders its messages itself.
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

// insteadOfArrival describes what to write instead of an arrival that a pattern does not
// accept.
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

// GroupNames returns the names of all groups that traffic runs in: each group, its replies
// and its background.
func (s *Spec) GroupNames() (names []string) {
	for i := range s.Traffic {
		t := &s.Traffic[i]
		names = append(append(names, t.Name), t.derived()...)
	}
	return names
}
