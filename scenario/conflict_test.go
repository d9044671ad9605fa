package scenario_test

import (
	"regexp"
	"strings"
	"testing"

	"weft"
	"weft/scenario"
)

// conflicting is a scenario with both features of a conflict, as changes to a text, and the places of keys in its remedy.
type conflicting struct {
	text, sets string
	at         map[string]string
}

const creditedStar = "weft: 1\ntopology: {kind: star, hosts: 4, rate: 10Gbps}\nfabric: {credits: {}, classes: 2, overflow: drop}\ntransport: {congestion: expresspass, balancer: ecmp}\n" + tornado

// conflicts has a scenario for each pair that excludes each other, by the names of both.
var conflicts = map[string]conflicting{
	"fabric.pfc/fabric.overflow: trim":                                                      {hostsOfTwoTors, "fabric.pfc=50KB;fabric.overflow=trim", map[string]string{"overflow": "fabric.overflow"}},
	"fabric.pfc/fabric.credits in a lossless class":                                         {creditedStar, "fabric.pfc=50KB", map[string]string{"pfc": "fabric.pfc"}},
	"fabric.pfc/routes with a circle of links (layers, Slim Fly, Dragonfly), without lanes": {ring + "traffic: [{name: main, pattern: permutation, size: 1MB}]\n", "fabric.pfc=50KB", nil},
	"fabric.credits/fabric.overflow: trim":                                                  {creditedStar, "fabric.overflow=trim", map[string]string{"overflow": "fabric.overflow"}},
	"fabric.credits/fabric.nic: fifo":                                                       {creditedStar, "fabric.nic=fifo;fabric.ecn=off", map[string]string{"nic": "fabric.nic"}},
	"fabric.credits/data or acknowledgements of class 0":                                    {creditedStar, "transport.congestion=dctcp;transport.class=0", ofTransport("class")},

	"fabric.deflect/fabric.scheduler":                                      {deflected, "fabric.scheduler=drr", map[string]string{"scheduler": "fabric.scheduler"}},
	"routing.lanes: hop, phase/fabric.scheduler":                           {flappingDragonfly, "routing.lanes=hop;fabric={scheduler: drr, classes: 6};transport.class=5", map[string]string{"scheduler": "fabric.scheduler", "lanes": "routing.lanes"}},
	"fabric.deflect/fabric.overflow: trim":                                 {deflected, "fabric.overflow=trim", map[string]string{"overflow": "fabric.overflow"}},
	"fabric.deflect/a balancer of several paths":                           {deflected, "transport.balancer=ops", ofTransport("balancer")},
	"fabric.deflect/a control whose acknowledgements retrace paths (fncc)": {deflected, "transport.congestion=fncc", nil},
	"fabric.deflect/routing.policy: ugal, par":                             {deflected, "routing.policy=ugal", map[string]string{"policy": "routing.policy"}},
	"fabric.deflect/routing.lanes: hop, phase":                             {deflected, "routing.policy=valiant;routing.lanes=hop", map[string]string{"lanes": "routing.lanes"}},
	"fabric.deflect/fabric.pfc.of: egress, switch, with several lanes":     {deflected, "fabric.pfc={xoff: 50KB, of: egress}", pfc("of")},
	"fabric.deflect/fabric.pfc.classes, with several lanes":                {deflected, "fabric.pfc={xoff: 50KB, classes: [4]}", map[string]string{"classes": "fabric.pfc.classes"}},
	"fabric.deflect/a control of switches (rocc, rcp), with several lanes": {deflected, "transport.congestion=rocc;fabric.deflect.lanes=2;fabric.pfc=500KB", nil},
	"fabric.deflect/routing.policy: valiant, with a lane per token":        {deflected, "routing.policy=valiant;fabric.pfc=50KB", under("fabric.deflect.", []string{"lanes"})},
	"fabric.deflect/explicit paths (routing.policy), with a lane per token": {deflected, "routing.policy=ksp;fabric.pfc=50KB",
		under("fabric.deflect.", []string{"lanes"})},
	"fabric.deflect/routes with a circle of links (layers, Slim Fly, Dragonfly), with a lane per token": {circleOfFive, "seed=1", under("fabric.deflect.", []string{"lanes"})},

	"routing.lanes: hop, phase/fabric.overflow: trim":             {flappingDragonfly, "routing.lanes=hop;fabric={overflow: trim}", map[string]string{"lanes": "routing.lanes"}},
	"routing.lanes: hop, phase/fabric.pfc.of: egress, switch":     {flappingDragonfly, "routing.lanes=hop;fabric={pfc: {xoff: 100KB, of: egress}, classes: 6};transport.class=5", pfc("of")},
	"routing.lanes: hop, phase/fabric.pfc.classes":                {flappingDragonfly, "routing.lanes=hop;fabric={pfc: {xoff: 100KB, classes: [5]}, classes: 6};transport.class=5", map[string]string{"classes": "fabric.pfc.classes"}},
	"routing.lanes: hop, phase/a control of switches (rocc, rcp)": {flappingDragonfly, "routing.lanes=hop;fabric={pfc: 100KB, classes: 6};transport={congestion: rocc, class: 5, balancer: ecmp}", nil},

	"weft emulate, run --on wire/fabric.overflow: trim":             {hostsOfTwoTors, "transport.congestion=dctcp;fabric.overflow=trim", map[string]string{"overflow": "fabric.overflow"}},
	"weft emulate, run --on wire/fabric.telemetry":                  {hostsOfTwoTors, "transport.congestion=dctcp;fabric.telemetry={}", map[string]string{"telemetry": "fabric.telemetry"}},
	"weft emulate, run --on wire/fabric.credits":                    {creditedStar, "fabric.credits={data: 4160B}", nil},
	"weft emulate, run --on wire/a control of switches (rocc, rcp)": {hostsOfTwoTors, "fabric.pfc=500KB;transport={congestion: rocc, balancer: ecmp}", ofTransport("congestion")},
	"weft emulate, run --on wire/explicit paths (routing.policy)":   {ring + "traffic: [{name: main, pattern: permutation, size: 1MB}]\n", "routing.policy=ksp;transport.congestion=dctcp", map[string]string{"policy": "routing.policy"}},
	"fabric.nic_interrupts/weft explain":                            {hostsOfTwoTors, "fabric.nic_interrupts=10us", map[string]string{"nic_interrupts": "fabric.nic_interrupts"}},
	"fabric.nic: fifo/weft explain":                                 {hostsOfTwoTors, "fabric.nic=fifo", map[string]string{"nic": "fabric.nic"}},
	"transport.connection: pool/weft explain":                       {hostsOfTwoTors, "transport.connection=pool", ofTransport("connection")},
	"transport.connection: pool/a control whose receivers grant credit (eqds, ndp), with pick: turn": {hostsOfTwoTors,
		"fabric.overflow=trim;transport={congestion: eqds, connection: pool, pick: turn}", ofTransport("pick", "connection")},

	"transport.recovery: go-back-n, irn, sack/fabric.overflow: trim": {hostsOfTwoTors, "fabric.overflow=trim;transport.recovery=sack",
		map[string]string{"overflow": "fabric.overflow", "recovery": "transport.recovery"}},
	"transport.recovery: go-back-n, irn, sack/a control whose receivers grant credit (eqds, ndp)":     {hostsOfTwoTors, "transport.recovery=sack;transport.congestion=eqds", nil},
	"transport.recovery: go-back-n, irn, sack/transport.rto, or transport.timer: connection, for irn": {hostsOfTwoTors, "transport={recovery: irn, rto: 1ms, timer: connection}", nil},
	"transport.recovery.class/fabric.pfc in that class": {hostsOfTwoTors, "fabric={pfc: 500KB, classes: 2};transport={class: 1, recovery: {kind: sack, class: 0}}",
		map[string]string{"class": "transport.recovery.class"}},
	"fabric.deflect/transport.recovery.class": {deflected, "transport.recovery={kind: sack, class: 0}", map[string]string{"class": "transport.recovery.class"}},
	"transport.recovery.class/a control of switches (rocc, rcp)": {hostsOfTwoTors, "fabric={pfc: {xoff: 500KB, classes: [1]}, classes: 2};transport={congestion: rocc, balancer: ecmp, class: 1, recovery: {kind: sack, class: 0}}",
		map[string]string{"class": "transport.recovery.class"}},

	"transport.recovery: order/a balancer of switches (spray, flowlets, adaptive)": {hostsOfTwoTors, "transport.recovery=order;transport.balancer=adaptive-roce", ofTransport("recovery", "balancer")},
	"transport.recovery: order/routing.policy: ugal, par":                          {flappingDragonfly, "transport.recovery=order;routing.policy=ugal", ofTransport("recovery")},
	"fabric.host_jitter, fabric.nic_jitter/weft emulate, run --on wire":            {hostsOfTwoTors, "transport.congestion=dctcp;fabric.nic_jitter=5ns", map[string]string{"nic_jitter": "fabric.nic_jitter"}},
	"fabric.nic_interrupts/weft emulate, run --on wire":                            {hostsOfTwoTors, "transport.congestion=dctcp;fabric.nic_interrupts=10us", map[string]string{"nic_interrupts": "fabric.nic_interrupts"}},
	"fabric.deflect/weft emulate, run --on wire":                                   {deflected, "transport.congestion=dctcp", map[string]string{"deflect": "fabric.deflect"}},
	"fabric.deflect/transport.recovery: order":                                     {deflected, "transport.recovery=order", ofTransport("recovery")},
	"transport.recovery: order/a control whose receivers grant credit (eqds, ndp)": {hostsOfTwoTors, "transport.recovery=order;transport.congestion=eqds", nil},
}

const hostsOfTwoTors = twoTors + tornado

// TestConflicts has each conflict refused with its reason, and gone once a remedy is followed.
func TestConflicts(t *testing.T) {
	t.Parallel()
	named := map[string]bool{}
	for _, c := range scenario.Conflicts() {
		name := c.Feature + "/" + c.With
		named[name] = true
		row, ok := conflicts[name]
		if !ok {
			t.Errorf("no scenario has %s", name)
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sets := strings.Split(row.sets, ";")
			why := regexp.QuoteMeta(c.Why)
			for _, part := range []string{"the control", "the balancer", "it finds", "some classes are", "some links", "routes have a circle of links"} {
				why = strings.ReplaceAll(why, part, ".+")
			}
			said := regexp.MustCompile("(?m)^.*" + why + "; (.*)$")
			refused := errorsOf
			switch {
			case c.With == "weft explain":
				refused = func(text string, sets []string) string { return unexplained(t, text, sets) }
			case c.Feature == "weft emulate, run --on wire", c.With == "weft emulate, run --on wire":
				refused = func(text string, sets []string) string { return unemulated(t, text, sets) }
			}
			line := said.FindStringSubmatch(refused(row.text, sets))
			if line == nil {
				t.Fatalf("%q is not among: %s", c.Why, refused(row.text, sets))
			}
			for _, changes := range remedies(line[1]) {
				mended := sets
				for _, one := range changes {
					set, known := one.set(row.at)
					if !known && row.at != nil {
						t.Fatalf("%q: where is %s?", line[1], one.key)
					}
					mended = append(mended[:len(mended):len(mended)], set)
				}
				if still := refused(row.text, mended); said.MatchString(still) {
					t.Errorf("%q does not help: %s", mended, still)
				}
			}
		})
	}
	for name := range conflicts {
		if !named[name] {
			t.Errorf("%s is no conflict", name)
		}
	}
}

// TestRemediesOfConflicts has ways out left out that some part of the scenario rules out, and classes named that transports use.
func TestRemediesOfConflicts(t *testing.T) {
	t.Parallel()
	const credited = "fabric.classes=4;transport.class=2;"
	for _, c := range []struct{ text, sets, want string }{
		{hostsOfTwoTors, "fabric={pfc: 500KB, overflow: trim};transport.congestion=dctcp", "have no need to trim; write overflow: drop, or remove fabric.pfc"},
		{hostsOfTwoTors, "fabric={pfc: 500KB, overflow: trim};transport.congestion=ndp", "have no need to trim; remove fabric.pfc\n"},
		{hostsOfTwoTors, "fabric={credits: {}, overflow: trim, classes: 2};transport.congestion=expresspass", "headers join it; write overflow: drop\n"},
		{hostsOfTwoTors, "fabric={credits: {}, overflow: trim, classes: 2};transport={congestion: dctcp, class: 1}", "headers join it; write overflow: drop, or remove fabric.credits"},
		{twoTors + "traffic: [{name: main, pattern: tornado, size: 1MB}, {name: other, pattern: tornado, size: 1MB, transport: {congestion: expresspass}}]\n", "fabric={credits: {}, overflow: trim, classes: 2};traffic.main.transport.congestion=ndp", "headers join it; choose another control"},
		{hostsOfTwoTors, credited + "transport.congestion=expresspass;fabric.pfc=500KB", "drop on purpose; write pfc: {xoff: 500KB, classes: [2]}"},
		{hostsOfTwoTors, credited + "transport.congestion=expresspass;fabric.buffer=16MB;fabric.pfc=hpcc", "drop on purpose; write pfc: {model: hpcc, classes: [2]}"},
		{hostsOfTwoTors, credited + "transport.congestion=expresspass;fabric.pfc={xoff: 500KB, classes: [0, 2]}", "drop on purpose; write classes: [2]"},
		{hostsOfTwoTors, credited + "transport.congestion=expresspass;fabric.pfc={xoff: 500KB, classes: [1]}", "acknowledgements are in class 2; write classes: [2]"},
		{hostsOfTwoTors, credited + "transport.ack.class=1;fabric.pfc={xoff: 500KB, classes: [3]}", "acknowledgements are in classes 1, 2; write classes: [1, 2]"},
		{hostsOfTwoTors, "fabric.classes=2;transport.class=4", "fabric.classes is 2, and classes count from 0; write fabric: {classes: 5}, or class: 1 or less"},
		{hostsOfTwoTors, "fabric={classes: 2, pfc: 500KB, deflect: {}};transport={congestion: dcqcn, class: 1}", "which is 1; write fabric: {classes: 5} and class: 4, or fabric: {deflect: {lanes: 1}}"},
		{hostsOfTwoTors, "fabric={classes: 8, pfc: 500KB, deflect: {}};transport={congestion: dcqcn, class: 1}", "which is 1; write class: 4 or more, or fabric: {deflect: {lanes: 1}}"},
	} {
		if got := errorsOf(c.text, strings.Split(c.sets, ";")) + "\n"; !strings.Contains(got, c.want) {
			t.Errorf("%s: the error lacks %q:\n%s", c.sets, c.want, got)
		}
	}
}

// unexplained returns why a message of a scenario is not explained.
func unexplained(t *testing.T, text string, sets []string) string {
	t.Helper()
	if wrong := errorsOf(text, sets); wrong != "" {
		t.Fatalf("%q: %s", sets, wrong)
	}
	s := parsed(t, text, sets...)
	res := execute(t, s, scenario.RunOptions{})
	if _, err := scenario.Explain(t.Context(), s, res.Flows[0], nil); err != nil {
		return err.Error()
	}
	return ""
}

// unemulated returns why programs cannot use the fabric of a scenario that can be simulated.
func unemulated(t *testing.T, text string, sets []string) string {
	t.Helper()
	if wrong := errorsOf(text, sets); wrong != "" {
		t.Fatalf("%q: %s", sets, wrong)
	}
	if _, err := parsed(t, text, sets...).LiveFabric(); err != nil {
		return err.Error()
	}
	return ""
}

// errorsOf returns all errors of a scenario, as it is read or planned.
func errorsOf(text string, sets []string) string {
	f, err := scenario.Parse("scenario.yaml", []byte(text), weft.Builtin(), sets)
	if err == nil {
		_, err = f.Variants[0].Build()
	}
	if err == nil {
		return ""
	}
	return err.Error()
}
