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
	"fabric.pfc/fabric.overflow: trim":                   {hostsOfTwoTors, "fabric.pfc=50KB;fabric.overflow=trim", map[string]string{"overflow": "fabric.overflow"}},
	"fabric.pfc/fabric.credits in a lossless class":      {creditedStar, "fabric.pfc=50KB", pfc("classes")},
	"fabric.credits/fabric.overflow: trim":               {creditedStar, "fabric.overflow=trim", map[string]string{"overflow": "fabric.overflow"}},
	"fabric.credits/fabric.nic: fifo":                    {creditedStar, "fabric.nic=fifo;fabric.ecn=off", map[string]string{"nic": "fabric.nic"}},
	"fabric.credits/data or acknowledgements of class 0": {creditedStar, "transport.congestion=dctcp;transport.class=0", ofTransport("class")},

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

	"routing.lanes: hop, phase/fabric.overflow: trim":             {flappingDragonfly, "routing.lanes=hop;fabric={overflow: trim}", map[string]string{"lanes": "routing.lanes"}},
	"routing.lanes: hop, phase/fabric.pfc.of: egress, switch":     {flappingDragonfly, "routing.lanes=hop;fabric={pfc: {xoff: 100KB, of: egress}, classes: 6};transport.class=5", pfc("of")},
	"routing.lanes: hop, phase/fabric.pfc.classes":                {flappingDragonfly, "routing.lanes=hop;fabric={pfc: {xoff: 100KB, classes: [5]}, classes: 6};transport.class=5", map[string]string{"classes": "fabric.pfc.classes"}},
	"routing.lanes: hop, phase/a control of switches (rocc, rcp)": {flappingDragonfly, "routing.lanes=hop;fabric={pfc: 100KB, classes: 6};transport={congestion: rocc, class: 5, balancer: ecmp}", nil},
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
			for _, part := range []string{"the control", "the balancer", "some classes"} {
				why = strings.ReplaceAll(why, part, ".+")
			}
			said := regexp.MustCompile("(?m)^.*" + why + "; (.*)$")
			line := said.FindStringSubmatch(errorsOf(row.text, sets))
			if line == nil {
				t.Fatalf("%q is not among: %s", c.Why, errorsOf(row.text, sets))
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
				if still := errorsOf(row.text, mended); said.MatchString(still) {
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
