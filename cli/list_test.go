package cli

import (
	"bytes"
	"strings"
	"testing"

	"weft"
)

// TestRoutingPoliciesAreListed has each policy of weft itself say what it keeps.
func TestRoutingPoliciesAreListed(t *testing.T) {
	for _, e := range weft.Builtin().Routings.Entries() {
		if e.Keeps == "" {
			t.Errorf("%s does not say what it keeps", e.Name)
		}
	}
}

// TestNeedsOfParts has the list tell of balancers and congestion controls what a scenario must have for them, and what they bring.
func TestNeedsOfParts(t *testing.T) {
	p := &program{reg: weft.Builtin()}
	for name, want := range map[string]string{
		"sird":        "    needs fabric.classes: 2 or more (other options do with fewer)\n    with a fabric.queue below 4BDP it assumes buffers that hardly ever drop, and detects losses late\n    with fabric.ecn: off it does not notice congestion between switches",
		"homa":        "    needs fabric.classes: 8 or more (other options do with fewer)\n    with a fabric.queue below 4BDP it assumes buffers that hardly ever drop, and detects losses late\n    brings transport.balancer: ops, fabric.ecn: off, fabric.queue: 100BDP\n    preset ",
		"phost":       "    needs fabric.classes: 3 or more\n    with a fabric.queue below 4BDP it assumes buffers that hardly ever drop, and detects losses late\n    brings transport.balancer: ops, fabric.ecn: off, fabric.queue: 4BDP\n    bdp ",
		"expresspass": "    needs fabric.classes: 2 or more, fabric.credits: {}, transport.balancer: ecmp\n    brings transport.balancer: ecmp, fabric.ecn: off, fabric.queue: 100BDP\n    preset ",
		"ndp":         "    needs fabric.overflow: trim, a limit of fabric.queue, fabric.trim.ratio: 10 (its default)\n    brings transport.balancer: ops, fabric.ecn: off, fabric.queue: 8 packets\n    window ",
		"dctcp":       "    needs fabric.ecn other than off\n    brings transport.balancer: ecmp, fabric.ecn: {kind: threshold, k: 0.8BDP}, fabric.queue: 5BDP, transport.recovery: sack\n    gain ",
		"plb":         "    with fabric.ecn: off it leaves a path only after timeouts\n",
		"mptcp":       "    needs a transport.congestion of connections (such as nscc)\n",
		"constant":    "elsewhere fixed-window, no-cc, none\n    brings transport.balancer: ecmp, fabric.ecn: off, fabric.queue: 100BDP, transport.recovery: sack\n    window ",
	} {
		sections, err := choose(p.sections(), []string{name})
		if err != nil {
			t.Fatal(err)
		}
		addFacts(sections)
		var list bytes.Buffer
		if err := writeList(&list, sections, 0); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(list.String(), want) {
			t.Errorf("%s: the list lacks %q:\n%s", name, want, &list)
		}
	}
}
