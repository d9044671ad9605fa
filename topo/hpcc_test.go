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

// TestHPCCReadsAsManyLinksAsCounted leaves out the links after those that the first line
// counts, as the simulators do, and says how many.
func TestHPCCReadsAsManyLinksAsCounted(t *testing.T) {
	const links = "4 1 3\n0\n0 1 100Gbps 1us 0\n0 2 100Gbps 1us 0\n0 3 100Gbps 1us 0\n"
	want, err := ReadHPCC(strings.NewReader(links), "x", Defaults{})
	if err != nil {
		t.Fatal(err)
	}
	for after, notes := range map[string][]string{
		"": nil,
		// Their nodes are not there, as nobody reads these lines.
		"0 4 100Gbps 1us 0\n0 5 x\n": {"line 6: more links follow the 3 that the first line counts; they are left out, as the simulators do; for all, write 5 there (links left out: 2)"},
		"\nsrc dst\n0 1 100Gbps 1us 0\n": {
			"line 8: more links follow the 3 that the first line counts; they are left out, as the simulators do; for all, write 4 there (links left out: 1)",
			"line 7: text follows the 3 links that the first line counts, as in files of the simulators; it is ignored (lines with text: 1)"},
	} {
		got, err := ReadHPCC(strings.NewReader(links+after), "x", Defaults{})
		if err != nil {
			t.Errorf("%q: %v", after, err)
			continue
		}
		if diff := cmp.Diff(want.Links, got.Links); diff != "" {
			t.Errorf("%q: links (-want +got):\n%s", after, diff)
		}
		if diff := cmp.Diff(notes, got.Notes); diff != "" {
			t.Errorf("%q: notes (-want +got):\n%s", after, diff)
		}
	}
}

// TestHPCCHeadersWithToRs reads the first lines of PowerTCP's and Reverie's simulators, which
// count ToRs and may name two rates.
func TestHPCCHeadersWithToRs(t *testing.T) {
	const links = "\n4 5 6 \n0 4 25000000000.0 1us 0\n1 4 25000000000.0 1us 0\n2 5 25000000000 1us 0\n3 5 25000000000 1us 0\n4 6 100000000000.0 5us 0\n5 6 100000000000.0 5us 0\n"
	want, err := ReadHPCC(strings.NewReader("7 3 6"+links), "x", Defaults{})
	if err != nil {
		t.Fatal(err)
	}
	for _, first := range []string{"7 3 2 6", "7 3 2 6 25000000000 100000000000", "7 3 2 6 25Gbps 100Gbps"} {
		got, err := ReadHPCC(strings.NewReader(first+links), "x", Defaults{})
		if err != nil {
			t.Errorf("%q: %v", first, err)
			continue
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-without ToRs +with):\n%s", first, diff)
		}
	}
}
