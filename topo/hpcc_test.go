package topo

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestHPCCIgnoresTextAfterLinks: the simulators' files explain their format there.
func TestHPCCIgnoresTextAfterLinks(t *testing.T) {
	const links = "4 1 3\n3\n0 3 100Gbps 1us 0\n1 3 100Gbps 1us 0\n2 3 100Gbps 1us 0\n"
	want, err := ReadHPCC(strings.NewReader(links), "x", Defaults{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := ReadHPCC(strings.NewReader(links+"\n\nFirst line: total node #, switch node #, link #\n3\nsrc0 dst0 rate delay error_rate\n...\n"), "x", Defaults{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want.Links, got.Links); diff != "" {
		t.Errorf("(-without text +with text):\n%s", diff)
	}
	if len(want.Notes) != 0 || len(got.Notes) != 1 || !strings.Contains(got.Notes[0], "line 8: text follows the 3 links") {
		t.Errorf("notes %q without text and %q with text", want.Notes, got.Notes)
	}
}
