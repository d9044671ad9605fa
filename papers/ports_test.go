package papers

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weft"
)

// TestMeasuresOfPortsThatThereAreNot changes the measures of a ledger.
func TestMeasuresOfPortsThatThereAreNot(t *testing.T) {
	for _, c := range []struct{ name, measure, says string }{
		{"in order", `counter: trims, ports: ["tor1->spine?"], take: sum`, ``},
		{"recorded", `series: queue, ports: ["tor?->spine2"], take: max`, ``},
		{"part", `counter: trims, ports: ["tor1->*"], part: [tor1->spine1], take: part`, ``},
		{"no node", `series: queue, ports: ["tor0->*", "tor9->spine*"], take: max`, `"tor9->spine*": no node is named "tor9"; there are tor0..tor1`},
		{"no arrow", `counter: trims, ports: ["tor0"], take: sum`, `has no arrow`},
		{"a range", `counter: trims, ports: ["tor0..1->spine0"], take: sum`, `no port of the scenario is called tor0..1->spine0; write *`},
		{"not recorded", `series: queue, ports: ["tor1->spine*"], take: max`, `no series of them is recorded`},
		{"no part", `counter: trims, ports: ["tor1->*"], part: [tor1->spine7], take: part`, `part: port pattern "tor1->spine7": no node`},
		{"part of others", `counter: trims, ports: ["tor1->*"], part: [tor0->spine1], take: part`, `part: tor0->spine1 is none of ports, tor1->*`},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			for _, name := range []string{"sizes.yaml", claimsFile, paperFile} {
				text, err := os.ReadFile(filepath.Join("testdata/small", name))
				if err != nil {
					t.Fatal(err)
				}
				changed := strings.Replace(string(text), "    measures:\n", "    measures:\n      - {name: tried, "+c.measure+"}\n", 1)
				if err := os.WriteFile(filepath.Join(dir, name), []byte(changed), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			l, err := Load(dir)
			if err != nil {
				t.Fatal(err)
			}
			e, err := l.NewEvaluator(Options{Scale: Quick, Registry: weft.Builtin(), Program: "test"})
			if err != nil {
				t.Fatal(err)
			}
			problems := e.Problems().Problems
			switch {
			case c.says == "" && len(problems) > 0:
				t.Error(problems)
			case c.says != "" && (len(problems) != 1 || !strings.Contains(problems[0].Message(), c.says) || !strings.Contains(problems[0].Place.String(), "paper.yaml:16:")):
				t.Errorf("%v\nis not, at line 16 of paper.yaml, %q", problems, c.says)
			}
		})
	}
}
