package scenario

import (
	"fmt"

	"weft/fabric"
	"weft/internal/readable"
	"weft/problem"
	"weft/protocol"
	"weft/record"
	"weft/record/section"
	"weft/record/section/deflection"
	"weft/route"
	"weft/scenario/internal/watch"
	"weft/topo"
	"weft/transport"
	"weft/unit"
)

var deflectFeature = feature{
	name: "fabric.deflect",
	conflicts: []conflict{
		{
			with: "fabric.scheduler", at: "fabric.scheduler",
			why: "deflected packets go by what a port sends before them, which only strict priority fixes", remedy: "remove scheduler, or fabric.deflect",
			file: func(f *Fabric) bool { return f.Deflect != nil && f.Scheduler != nil },
		},
		{
			with: emulated, at: "fabric.deflect",
			why: "switches deflect what its sender says is of a short message, and real hosts do not say so", remedy: "remove deflect",
			live: func(p *plan) bool { return partOf[deflecting](p).config.Table > 0 },
		},
		{
			with: "fabric.overflow: trim", at: "fabric.deflect",
			why:  "headers of trimmed packets overtake the messages that deflection keeps in order",
			ways: []way{{"write overflow: drop", protocol.Trimming}, {"remove fabric.deflect", 0}},
			file: func(f *Fabric) bool { return f.Deflect != nil && f.Overflow == trimming },
		},
		{
			with: "a balancer of several paths", at: ".balancer",
			why:    "deflection keeps packets of a message in order behind each other, but {balancer} sends them over several paths",
			remedy: "write balancer: {one path}, or remove fabric.deflect",
			sent: func(f *Fabric, c *carrier, _ []carrier) bool {
				return f.Deflect != nil && c.deflects() && c.balancer.Provides()&protocol.OnePath == 0
			},
		},
		{
			with: "transport.recovery: order", at: ".recovery",
			why:    "order takes packets with the same entropy to stay in order, but switches deflect some, and not what is sent again",
			remedy: "write recovery: selective, or remove fabric.deflect",
			sent:   func(f *Fabric, c *carrier, _ []carrier) bool { return f.Deflect != nil && c.ordered() },
		},
		{
			with: resendFeature.name, at: ".recovery.class", due: []string{"fabric.deflect"},
			why: "the classes before that of the data are lanes of deflected frames", remedy: "leave class out of recovery",
			sent: func(f *Fabric, c *carrier, _ []carrier) bool { return c.resends() && f.Deflect != nil },
		},
		{
			with: "a control whose acknowledgements retrace paths (fncc)", at: ".congestion",
			why:    "{control} needs acknowledgements that retrace the path of their packets, and those of deflected packets do not",
			remedy: "choose another control, such as hpcc, or remove fabric.deflect",
			sent: func(f *Fabric, c *carrier, _ []carrier) bool {
				return f.Deflect != nil && c.deflects() && c.congestion.Needs.Must.Has(protocol.Symmetric)
			},
		},
		{
			with: "routing.policy: ugal, par", at: "routing.policy",
			why:     "queues decide for each packet whether it takes a detour, but deflection keeps packets of a message in order behind each other",
			remedy:  "write policy: valiant, or remove fabric.deflect",
			planned: func(p *plan, f *Fabric) bool { return f.Deflect != nil && p.routes.policy.Adapts() },
		},
		{
			with: "routing.lanes: hop, phase", at: "routing.lanes",
			why: "deflected packets take more links than these lanes are for", remedy: "write lanes: auto, or remove fabric.deflect",
			planned: func(p *plan, f *Fabric) bool { return f.Deflect != nil && p.changesLanes() },
		},
		{
			with: "fabric.pfc.of: egress, switch, with several lanes", at: "fabric.pfc.of",
			why:    "deflected frames change their class, so links are paused by what came over them in each class",
			remedy: "write of: ingress, or fabric: {deflect: {lanes: 1}}",
			file:   func(f *Fabric) bool { return f.lanesBelow() > 0 && f.PFC != nil && f.PFC.Of != "ingress" },
		},
		{
			with: "fabric.pfc.classes, with several lanes", at: "fabric.pfc.classes",
			why: "deflected frames change their class, but only {lossless} {are} lossless", remedy: "leave classes out, so that all are",
			fabricWords: (*Fabric).losslessWords,
			file: func(f *Fabric) bool {
				return f.lanesBelow() > 0 && f.PFC != nil && f.PFC.lossless(f.Classes) != f.allClasses()
			},
		},
		{
			with: "a control of switches (rocc, rcp), with several lanes", at: ".congestion",
			why:    "switches compute the rates of {control} for the queues of one class, but deflected frames travel in others",
			remedy: "write fabric: {deflect: {lanes: 1}}",
			sent: func(f *Fabric, c *carrier, all []carrier) bool {
				own, _ := c.t.classes(false)
				return f.lanesBelow() > 0 && c.deflects() && own <= laneClass(all) && c.congestion.Controller.On()
			},
		},
		{
			with: "routing.policy: valiant, with a lane per token", at: "fabric.deflect.lanes",
			why:     "packets turn at intermediates (routing.policy), so that no lanes keep deflected ones from waiting for each other in a circle",
			remedy:  "write lanes: 1, and weft finds deadlocks",
			planned: func(p *plan, f *Fabric) bool { return f.laneEach() && p.routes.policy.Wanders() },
		},
		{
			with: "explicit paths (routing.policy), with a lane per token", at: "fabric.deflect.lanes",
			why:     "packets follow explicit paths (routing.policy), so that no lanes keep deflected ones from waiting for each other in a circle",
			remedy:  "write lanes: 1, and weft finds deadlocks",
			planned: func(p *plan, f *Fabric) bool { return f.laneEach() && p.explicit() },
		},
		{
			with: "routes with a circle of links (layers, Slim Fly, Dragonfly), with a lane per token", at: "fabric.deflect.lanes",
			why:       "frames on {circle} can wait for each other in a circle, so that no lanes keep deflected ones from it",
			remedy:    "write lanes: 1, and weft finds deadlocks",
			planned:   func(p *plan, _ *Fabric) bool { return len(partOf[deflecting](p).circle) > 0 },
			planWords: func(p *plan) []string { return []string{"{circle}", p.namePorts(partOf[deflecting](p).circle)} },
		},
	},
	brings: (*bringing).lanes, check: (*validation).deflection,
	plan: (*plan).planDeflection, settle: (*plan).laneDeflection,
	group: func(p *plan, o *transport.Params) { o.Short = partOf[deflecting](p).short },
	build: func(p *plan, c *fabric.Config) { c.Deflect = partOf[deflecting](p).config },
	hint:  (*plan).hintDeflection,
	watch: watchDeflections,
	section: func(s *Spec) section.Section {
		if s.Fabric.Deflect == nil {
			return nil
		}
		return new(deflection.Counts)
	},
	effects: []effect{{[]string{"fabric.deflect"}, "deflected packets", (*review).actedDeflection}},
}

// deflecting holds how switches deflect messages.
type deflecting struct {
	config fabric.DeflectConfig
	short  unit.Bytes    // the largest message that is deflected
	routes *route.Tables // with all links
	// circle lists links of routes that form a cycle, so that a lane per token is
	// impossible; nil without a cycle.
	circle []topo.PortID
}

// lanes returns how classes are chosen for deflected frames.
func (f *Fabric) lanes() fabric.Lanes {
	switch {
	case f.Deflect.Lanes == "2":
		return fabric.TwoLanes
	case f.Deflect.Lanes == "per-token" || f.Deflect.Lanes == "auto" && f.PFC != nil:
		return fabric.LanePerToken
	}
	return fabric.OneLane
}

// lanesBelow returns how many classes below the transport's deflected frames use.
func (f *Fabric) lanesBelow() int {
	if f.Deflect == nil {
		return 0
	}
	switch f.lanes() {
	case fabric.TwoLanes:
		return 1
	case fabric.LanePerToken:
		return f.Deflect.Tokens
	}
	return 0
}

// laneEach reports whether deflected frames have one lane per token.
func (f *Fabric) laneEach() bool { return f.Deflect != nil && f.lanes() == fabric.LanePerToken }

// deflects reports whether switches can deflect messages of a transport.
func (c *carrier) deflects() bool { return c.congestion.NewHost == nil }

// deflection checks the options of deflection against each other and against the
// transports.
func (v *validation) deflection(carriers []carrier) {
	f := &v.s.Fabric
	if f.Deflect == nil {
		return
	}
	const path = "fabric.deflect"
	below := f.lanesBelow()
	if below >= mostClasses {
		v.wrong(path+".tokens", problem.New("a lane for each of %d tokens takes %d classes, and ports have %d at most", f.Deflect.Tokens, below+1, mostClasses).Mend("write tokens: %d, or lanes: 1", mostLaneTokens))
		return
	}
	class := laneClass(carriers)
	for i := range carriers {
		c := &carriers[i]
		if !c.deflects() || c.congestion.Controller.On() {
			continue
		}
		if own, _ := c.t.classes(false); own <= class && int(class) < below { // later classes are not deflected
			remedy := fmt.Sprintf("write class: %d or more", below)
			if f.Classes <= below && v.s.places.Given("fabric.classes") { // the number of classes is brought otherwise
				remedy = fmt.Sprintf("write fabric: {classes: %d} and class: %d", below+1, below)
			}
			v.wrong(c.path+".class", problem.New("deflected frames use %s before that of their transport, which is %d", readable.Count(below, "class"), class).Mend("%s, or fabric: {deflect: {lanes: 1}}", remedy))
		}
	}
}

// laneClass returns the class whose messages are deflected if there are several lanes: the
// lowest class of any transport that could be deflected. Messages of higher classes are not
// deflected, so that long messages can use a class behind the short ones.
func laneClass(carriers []carrier) uint8 {
	class := uint8(mostClasses)
	for i := range carriers {
		if c := &carriers[i]; c.deflects() {
			own, _ := c.t.classes(false)
			class = min(class, own)
		}
	}
	return class
}

// lanes moves transports to classes behind the lanes of deflected frames, and puts
// acknowledgements in front of them. It returns how many classes that takes, and the
// reason.
func (b *bringing) lanes() (classes int, what string) {
	f := &b.s.Fabric
	below := f.lanesBelow()
	if below == 0 {
		return 0, ""
	}
	why := fmt.Sprintf("deflected frames use %s before that of their transport", readable.Count(below, "class"))
	class := b.s.Transport.Class
	if !b.s.places.Given("transport.class") {
		class = min(below+1, mostClasses-1)
		b.add("transport.class", word(fmt.Sprint(class)), why)
	}
	if !b.s.places.Given("transport.ack.class") && class > below {
		b.add("transport.ack.class", word("0"), "acknowledgements go before data, as in Dart §VI-A")
	}
	return class + 1, "deflected frames travel in classes of their own"
}

// planDeflection plans how switches deflect.
func (p *plan) planDeflection(f *Fabric) error {
	o := f.Deflect
	if o == nil {
		return nil
	}
	p.lanes.taken = "fabric.deflect"
	d := partOf[deflecting](p)
	d.config = fabric.DeflectConfig{Tokens: o.Tokens, Threshold: o.Threshold, Table: o.Table, Age: o.Age, Lanes: f.lanes(), Ends: transport.Ends}
	d.short, d.routes = o.Short, p.routes.present
	if f.laneEach() && !p.unorderedLinks() {
		d.circle = p.circleOf(p.routes.present)
	}
	return nil
}

// unorderedLinks reports whether one lane per token cannot prevent cycles: packets do not follow
// the tables alone, so the order of links is not known.
func (p *plan) unorderedLinks() bool { return p.routes.policy.Wanders() || p.explicit() }

// laneDeflection puts the lanes of deflected frames just below the class that laneClass
// describes, and exempts groups of higher classes. Without a class to deflect it turns
// deflection off.
func (p *plan) laneDeflection(s *Spec) {
	f := &s.Fabric
	const none = mostClasses
	c := &partOf[deflecting](p).config
	c.Class = none
	for i := range p.groups {
		if g := &p.groups[i]; g.Congestion.NewHost == nil {
			c.Class = min(c.Class, g.Class)
		}
	}
	if c.Class == none {
		*c = fabric.DeflectConfig{}
		return
	}
	if c.Lanes == fabric.OneLane {
		return
	}
	for i := range p.groups {
		if g := &p.groups[i]; g.Class > c.Class {
			g.Short = 0
		}
	}
	p.lanes.groups.Masks = []uint8{classRun(int(c.Class)-f.lanesBelow(), int(c.Class))}
	p.lanes.groups.MarkEach = f.Deflect.Marks == "each"
}

// deflections counts packets that left their path within the measured window.
type deflections struct {
	watched
	counts fabric.Deflections
}

func watchDeflections(w watched, _ *window) watch.Observer {
	if !partOf[deflecting](w.plan).config.On() {
		return nil
	}
	return &deflections{watched: w}
}

// Open saves the counts from before the window.
func (s *deflections) Open(now unit.Time) {
	s.counts = s.Network.Deflections(now)
	s.Network.ResetDeflectionMost()
}

// Close counts the deflections since Open.
func (s *deflections) Close(now unit.Time) { s.counts = s.Network.Deflections(now).Since(s.counts) }

// Section adds the counts to the result.
func (s *deflections) Section(m *watch.Moment, res *record.Result) {
	d := &s.counts
	sums := &deflection.Counts{
		Hops: int64(d.Hops), Messages: int64(d.Messages), Rows: int64(d.Rows), RowsMax: int64(d.Most), Aged: int64(d.Aged), Left: int64(d.Left),
		Refused: deflection.Refusals{
			BelowThreshold: int64(d.Refused[fabric.BelowThreshold]), NoTokens: int64(d.Refused[fabric.NoTokens]),
			TableFull: int64(d.Refused[fabric.TableFull]), NoPort: int64(d.Refused[fabric.NoPort]),
		},
	}
	sums.Links, sums.Extra, sums.ExtraBytes = d.Links, d.Extra, d.ExtraBytes
	for i := range res.Ports {
		sums.Bytes += res.Ports[i].SentBytes
	}
	sums.MeanRows(d.Held, s.Span(m.Now))
	res.Summary.Sections.Add(sums)
}

// hintDeflection notes settings of deflection that are seldom meant.
func (p *plan) hintDeflection(s *Spec) {
	if s.Fabric.Deflect == nil {
		return
	}
	c := &partOf[deflecting](p).config
	if p.queues.lossless != 0 && c.Lanes != fabric.LanePerToken {
		remedy := "write lanes: per-token"
		switch {
		case p.circleOf(p.tables) != nil:
			remedy = "remove fabric.pfc or fabric.deflect: minimal routes of this topology have a circle of links, which no lanes of deflected frames open"
		case p.unorderedLinks() || p.circleOf(partOf[deflecting](p).routes) != nil:
			remedy = "remove fabric.pfc, or write routing: {policy: ecmp}, fabric: {deflect: {lanes: per-token}}"
		}
		p.notice(fmt.Sprintf("with fabric.deflect.lanes: %s paused links can come to wait for each other in a circle, which ends the run as stuck; %s", s.Fabric.Deflect.Lanes, remedy))
	}
	if q := &p.queues.port; q.ECN && q.KMin <= c.Threshold {
		p.notice(fmt.Sprintf("fabric.deflect.threshold, %v, is not below the queue at which frames are marked, %v, so that senders slow down before messages are deflected; write a smaller threshold, as in %v", c.Threshold, q.KMin, q.KMin/2))
	}
	for t, g := range p.transports(s) {
		switch {
		case g.Congestion.NewHost != nil:
			p.notice(fmt.Sprintf("%s is a host transport, whose messages fabric.deflect does not deflect", t.Congestion.Kind))
		case c.Lanes != fabric.OneLane && g.Class > c.Class:
			p.notice(fmt.Sprintf("messages of class %d are not deflected, since the lanes of deflected frames lie before class %d", g.Class, c.Class))
		}
	}
}

// actedDeflection reports deflection that deflected nothing.
func (v *review) actedDeflection() {
	if !partOf[deflecting](v.plan).config.On() {
		return
	}
	d := v.Network.Deflections(v.Now)
	if d.Hops > 0 {
		return
	}
	asked := uint64(0)
	for _, n := range d.Refused {
		asked += n
	}
	if asked == 0 {
		v.never("fabric.deflect", "", "no message was short enough, or of a transport that it deflects")
		return
	}
	v.never("fabric.deflect", "", "no message was deflected; of %d first packets %d found a short queue, %d had no tokens, %d found the table full, and %d no other port",
		asked, d.Refused[fabric.BelowThreshold], d.Refused[fabric.NoTokens], d.Refused[fabric.TableFull], d.Refused[fabric.NoPort])
}
