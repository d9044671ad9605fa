package scenario

import (
	"fmt"

	"weft/problem"
	"weft/protocol"
	"weft/transport"
	"weft/unit"
	"weft/workload"
)

// validateFile checks everything in a file that needs no network. If the file has variants,
// it only checks the keys of the whole file, since nobody runs the file without a variant.
func (l *loader) validateFile(s *Scenario) error {
	if len(s.Compare) == 0 {
		return l.validate(s)
	}
	v := validation{s: s}
	v.top()
	v.variants()
	return v.errs.Err()
}

// validate checks a scenario. If real endpoints are to carry its messages and cannot, that
// is the only error.
func (l *loader) validate(s *Scenario) error {
	if l.onWire {
		if err := s.refusedOnWire(); err != nil {
			return err
		}
	}
	return s.validate()
}

// validate checks everything that needs no network.
func (s *Scenario) validate() error {
	v := validation{s: s}
	v.top()
	v.fabric()
	v.transport("transport", &s.Transport)
	v.traffic()
	v.tenants()
	v.windows()
	v.record()
	v.choices()
	return v.errs.Err()
}

func (v *validation) top() {
	if name := v.s.Name; !scenarioName.MatchString(name) || len(name) > maxName {
		v.wrong(nameKey, problem.New("%.80q cannot name a folder of results", name).Mend("%s, and has at most %d characters", nameRules, maxName))
	}
}

func (v *validation) fabric() {
	f := &v.s.Fabric
	v.queueLimit("fabric.queue", f.Queue)
	v.ports()
	v.infiniteQueue()
	if f.Overflow != trimming {
		if f.Trim != nil {
			v.wrong("fabric.trim", problem.New("with fabric.overflow: %s no frame is trimmed", f.Overflow).Mend("write overflow: %s, or remove this", trimming).Due("fabric.overflow"))
		}
		return
	}
	v.limit("fabric.trim.queue", f.Trim.Queue)
	if smallest := v.smallestFrame(); f.Trim.Header >= smallest {
		v.errorf("fabric.trim.header", "%v is not less than a full data frame, %v, so trimming removes nothing", f.Trim.Header, smallest)
	}
}

func (v *validation) smallestFrame() unit.Bytes {
	smallest := v.s.Transport.Payload + v.s.Transport.Header
	for i := range v.s.Traffic {
		t := &v.s.Traffic[i].Transport
		smallest = min(smallest, t.Payload+t.Header)
	}
	return smallest
}

func (v *validation) transport(path string, t *Transport) {
	if err := t.checkFrames(false, unknownSwitches); err != nil {
		key, what := problem.Subject(err)
		v.wrong(path+"."+key, what)
	}
	classes := v.s.Fabric.Classes
	if v.s.Fabric.Overflow == trimming {
		classes = max(classes, 2)
	}
	if t.Class >= classes {
		v.wrong(path+".class", noClass(t.Class, classes))
	}
	if c := t.Ack.Class; c != nil && *c >= classes {
		v.wrong(path+".ack.class", noClass(*c, classes))
	}
	if t.RTOFrom == fromQueue && v.s.Fabric.NIC != fifo {
		v.wrong(path+".rto_from", problem.New("with fabric.nic: %s no packet waits behind the NIC's decision to send it, so that queue and wire are the same instant", v.s.Fabric.NIC).Mend("write fabric: {nic: %s}, or leave rto_from out", fifo).Due("fabric.nic"))
	}
	if q := v.s.Fabric.Queue; q.BDPs == 0 && q.Share == 0 && q.Bytes > 0 && q.Bytes < t.Payload+t.Header {
		v.errorf("fabric.queue", "%v does not hold a full frame of %v", q, t.Payload+t.Header)
	}
}

// noClass returns the error for a class that ports do not have.
func noClass(class, classes int) error {
	last := fmt.Sprint(classes - 1)
	if classes > 1 {
		last += " or less"
	}
	return problem.New("there is no class %d: fabric.classes is %d, and classes count from 0", class, classes).Mend("write fabric: {classes: %d}, or class: %s", class+1, last)
}

func (v *validation) traffic() {
	list := v.s.Traffic
	groups := len(list)
	for i := range list {
		groups += len(list[i].derived())
	}
	switch {
	case len(list) == 0:
		v.wrong("traffic", problem.New("no traffic").Mend("add a group, as in - {name: main, pattern: permutation, size: 1MiB}"))
	case groups > transport.MaxGroups:
		v.wrong("traffic", problem.New("there are %d groups, with replies and backgrounds", groups).Mend("at most %d are allowed", transport.MaxGroups))
	}
	named := map[string]int{}
	for i := range list {
		t := &list[i]
		path := fmt.Sprintf("traffic[%d]", i)
		if !groupName.MatchString(t.Name) || len(t.Name) > maxName {
			v.wrong(path+".name", problem.New("%.80q cannot name a group", t.Name).Mend("a name consists of letters, digits, _ and -, begins with a letter, and has at most %d characters", maxName))
		}
		if j, taken := named[t.Name]; taken {
			v.wrong(path+".name", problem.New("%q is already the name of traffic[%d]", t.Name, j).Mend("give each group its own name"))
		}
		named[t.Name] = i
		v.transport(path+".transport", &t.Transport)
		for _, name := range t.derived() {
			if j, taken := named[name]; taken {
				v.wrong(path+".name", problem.New("%q would have the same name as traffic[%d]", name, j).Mend("rename that group"))
			}
			named[name] = i
		}
		if b := t.Background; b != nil {
			v.transport(path+".background.transport", &b.Transport)
		}
		pattern, err := t.Pattern.Build()
		if t.Reply != nil {
			v.reply(path+".reply", t, pattern)
		}
		if err == nil {
			v.ordering(path, t, pattern)
		}
		if _, err := t.Size.Load(); err != nil && !listed(pattern) {
			v.wrong(path+".size", err)
		}
	}
}

// reply checks the replies to the messages of a group.
func (v *validation) reply(path string, t *Traffic, pattern workload.Pattern) {
	v.transport(path+".transport", &t.Reply.Transport)
	if _, err := t.Reply.Size.Load(); err != nil {
		v.wrong(path+".size", err)
	}
	if t.Reply.After < 0 {
		v.errorf(path+".after", "%v is negative; a reply starts when its message is complete, or later", t.Reply.After)
	}
	if t.Background != nil {
		v.wrong(path, problem.New("a group with a background takes no replies").Mend("make the background its own group, or remove this"))
	}
	if _, ok := pattern.(workload.Ordered); ok {
		if _, ok := pattern.(workload.Repeated); !ok {
			v.wrong(path, problem.New("%s sets what follows a message itself", t.Pattern.Kind).Mend("remove this"))
		}
	}
}

func (v *validation) windows() {
	s := v.s
	if to := s.Measure.To; to != nil && *to <= s.Measure.From {
		v.wrong("measure.to", problem.New("%v is not after measure.from, %v", *to, s.Measure.From).Mend("write a later to, or an earlier measure.from").Due("measure.from"))
	}
	if lead := s.Measure.Lead; lead != nil && (!s.Measure.Ends || *lead < 0) {
		v.errorf("measure.lead", "%v needs ends: true, and must not be negative", *lead)
	}
	if s.Until == nil {
		return
	}
	if s.Measure.From >= *s.Until {
		v.wrong("measure.from", problem.New("%v is not before the end of the run, until: %v", s.Measure.From, *s.Until).Mend("write an earlier from, or a later until"))
	}
	if to := s.Measure.To; to != nil && *to > *s.Until {
		v.wrong("measure.to", problem.New("%v is after the end of the run, until: %v", *to, *s.Until).Mend("write an earlier to, or a later until"))
	}
	for i, t := range s.Traffic {
		if t.Start >= *s.Until {
			v.errorf(fmt.Sprintf("traffic[%d].start", i), "%v is not before the end of the run, until: %v", t.Start, *s.Until)
		}
	}
}

func (v *validation) record() {
	r := &v.s.Record
	if r.Flows != sampled && r.Sample != nil {
		v.wrong("record.sample", problem.New("there is no sample with flows: %s", r.Flows).Mend("write flows: %s, or remove this", sampled))
	}
	for i, cut := range r.Sizes {
		if cut <= 0 || i > 0 && cut <= r.Sizes[i-1] {
			v.wrong(fmt.Sprintf("record.sizes[%d]", i), problem.New("size classes begin at rising sizes above 0, not at %v", cut).Mend("write as in [1450B, 95kB]"))
		}
	}
	if len(r.Sizes) > mostSizes {
		v.wrong("record.sizes", problem.New("%d size classes are too many", len(r.Sizes)).Mend("use at most %d", mostSizes))
	}
	if r.Flows == sampled && r.Sample.Share == 0 {
		v.wrong("record.sample.share", problem.New("an empty sample keeps nothing").Mend("write as in 10%%"))
	}
}

// choices builds everything that is cheap to build, to check whether the options are
// consistent.
func (v *validation) choices() {
	s := v.s
	_, err := s.Fabric.ECN.Build()
	v.built("fabric.ecn", err)
	if a := s.Fabric.Admission; a != nil {
		_, err := a.Build()
		v.built("fabric.admission", err)
	}
	for i, e := range s.Fabric.Ports {
		if e.ECN != nil {
			_, err := e.ECN.Build()
			v.built(entryPath(i)+".ecn", err)
		}
	}
	v.cores("transport", &s.Transport)
	var carriers []carrier
	for path, t := range s.carriers() {
		if c, ok := v.cores(path, t); ok {
			carriers = append(carriers, c)
		}
	}
	for i := range s.Traffic {
		t := &s.Traffic[i]
		path := fmt.Sprintf("traffic[%d]", i)
		_, err := t.Pattern.Build()
		v.built(path+".pattern", err)
		arrival, err := t.Arrival.Build()
		v.built(path+".arrival", err)
		if err != nil || s.Until != nil || t.Stop != nil {
			continue
		}
		if _, ends := arrival.Messages(1); !ends {
			v.wrong(path+".arrival", problem.New("%s never ends", t.Arrival.Kind).Mend("set the end of the run, as in until: 10ms, the last start of a message, as in stop: 10ms, or a count"))
		}
	}
	v.receivers(carriers)
	if len(carriers) > 0 {
		carriers[0].rules = s.Fabric.rules()
	}
	v.needs(carriers)
	v.refuseConflicts(carriers)
	for _, f := range features() {
		if f.check != nil {
			f.check(v, carriers)
		}
	}
	for i := range s.Faults {
		_, err := s.Faults[i].Build()
		v.built(fmt.Sprintf("faults[%d]", i), err)
	}
}

// cores builds the parts of a transport, and checks them.
func (v *validation) cores(path string, t *Transport) (built carrier, ok bool) {
	b, err := t.Balancer.Build()
	v.built(path+".balancer", err)
	if b.Subflows > protocol.MaxSubflows {
		v.wrong(path+".balancer", problem.New("%s divides messages into %d subflows", t.Balancer.Kind, b.Subflows).Mend("at most %d are allowed", protocol.MaxSubflows))
	}
	c, wrong := t.Congestion.Build()
	v.built(path+".congestion", wrong)
	return carrier{path: path, t: t, balancer: b, congestion: c}, err == nil && wrong == nil
}

func (v *validation) variants() {
	named := map[string]int{}
	for i, c := range v.s.Compare {
		path := fmt.Sprintf("compare[%d].name", i)
		if c.Name == "" || len(c.Name) > maxName {
			v.errorf(path, "a variant has a name of at most %d characters", maxName)
		}
		if !oneLine(c.Name) {
			v.wrong(path, problem.New("%q has several lines or tabs", c.Name).Mend("write a name on one line"))
		}
		if j, taken := named[c.Name]; taken {
			v.wrong(path, problem.New("%q is already the name of compare[%d]", c.Name, j).Mend("give each variant its own name"))
		}
		named[c.Name] = i
	}
}
