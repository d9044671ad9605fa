package scenario_test

import (
	"slices"
	"testing"

	"weft"
	"weft/catalog"
	"weft/protocol"
	"weft/scenario"
)

// TestControlNeeds asks what controls need that have one property each.
func TestControlNeeds(t *testing.T) {
	host := func(protocol.HostEnv) protocol.HostTransport { return nil }
	for _, c := range []struct {
		control  protocol.CongestionControl
		needs    []string
		unmarked string
	}{
		{protocol.CongestionControl{}, nil, ""},
		{protocol.CongestionControl{NeedsMarks: true}, []string{"fabric.ecn other than off"}, ""},
		{protocol.CongestionControl{Unmarked: "is slow"}, nil, "is slow"},
		{protocol.CongestionControl{NeedsTrimming: true}, []string{"fabric.overflow: trim", "a limit of fabric.queue"}, ""},
		{protocol.CongestionControl{NewHost: host, Echoes: true}, nil, ""},
		{protocol.CongestionControl{NewHost: host}, []string{"a transport.balancer that learns nothing, such as ops"}, ""},
		{protocol.CongestionControl{NewHost: host, Host: protocol.HostNeeds{Symmetric: true}}, []string{"transport.balancer: ecmp"}, ""},
		{protocol.CongestionControl{NewHost: host, Echoes: true, Host: protocol.HostNeeds{Classes: 3}}, []string{"fabric.classes: 3 or more"}, ""},
		{protocol.CongestionControl{NewHost: host, Echoes: true, Host: protocol.HostNeeds{Classes: 2, Fewer: true, Credits: true}},
			[]string{"fabric.classes: 2 or more (other options do with fewer)", "fabric.credits: {}"}, ""},
	} {
		reg := weft.Builtin()
		entry := catalog.Define("mine", "a control", "", func(struct{}) (protocol.CongestionControl, error) { return c.control, nil })
		if err := reg.Congestion.Add(entry); err != nil {
			t.Fatal(err)
		}
		needs, unmarked := scenario.ControlNeeds(reg, "mine")
		if !slices.Equal(needs, c.needs) || unmarked != c.unmarked {
			t.Errorf("it needs %q and without marks %q, want %q and %q", needs, unmarked, c.needs, c.unmarked)
		}
	}
}
