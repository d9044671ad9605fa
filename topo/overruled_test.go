package topo

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"weft/catalog"
	"weft/unit"
)

// TestOverruled tells options that a file leaves room for from those it does not.
func TestOverruled(t *testing.T) {
	const (
		whole = "a,b,rate,delay,a_latency,b_latency\nhost0,x,10Gbps,1us,,1ns\nhost1,y,10Gbps,1us,,1ns\nx,y,40Gbps,2us,,\n"
		hosts = "a,b,rate,delay\nhost0,x,10Gbps,1us\nhost1,y,10Gbps,1us\nx,y,,\n"
		bare  = "a,b\nhost0,x\nhost1,y\nx,y\n"
	)
	uplink := 100 * unit.Gbps
	for _, test := range []struct {
		name, file, given, want string
	}{
		{"nothing given", whole, "", ""},
		{"one", whole, "rate", "rate: 10Gbps is without effect"},
		{"all", whole, "rate uplink_rate delay switch_latency", "rate: 10Gbps, uplink_rate: 100Gbps, delay: 1us and switch_latency: 0s are each"},
		{"a link is open", hosts, "rate delay", ""},
		{"a link between switches is open", hosts, "rate uplink_rate", "rate: 10Gbps is"},
		{"all is open", bare, "rate uplink_rate delay switch_latency", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "net.csv")
			if err := os.WriteFile(path, []byte(test.file), 0o666); err != nil {
				t.Fatal(err)
			}
			file := catalog.Path(path)
			given := strings.Fields(test.given)
			// The rate of some links in the file is no sign that the option is used.
			o := Custom{File: &file, Rate: 10 * unit.Gbps, Delay: unit.Microsecond}
			if slices.Contains(given, "uplink_rate") {
				o.UplinkRate = &uplink
			}
			g, err := o.Build()
			if err != nil {
				t.Fatal(err)
			}
			got, err := o.Overruled(g, func(option string) bool { return slices.Contains(given, option) })
			if err != nil {
				t.Fatal(err)
			}
			if got == "" != (test.want == "") || !strings.Contains(got, test.want) {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}
