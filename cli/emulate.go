package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"weft/cli/emulating"
	"weft/scenario"
)

// emulate has the command that runs programs on an emulated fabric.
func (p *program) emulate() *cobra.Command { return emulating.Command(p.emulating()) }

// emulating returns what commands about emulated fabrics stand on.
func (p *program) emulating() emulating.Program {
	return emulating.Program{
		Stdout: p.stdout, Stderr: p.stderr,
		Load: p.loadOne, Notices: p.notices, Sets: addSets, Hold: p.interrupts.hold, Wrong: badInput,
		Interrupted: interruptedf,
		JSON:        func(v any) error { return writeJSON(p.stdout, v) },
		Status:      func(code int) error { return &exit{code: code} },
	}
}

// loadOne reads a file and chooses one of its variants, the only one if none is named.
func (p *program) loadOne(path string, sets []string, variant string) (*scenario.Scenario, []string, error) {
	var names []string
	if variant != "" {
		names = []string{variant}
	}
	f, err := scenario.LoadOnly(path, p.reg, scenario.Sets(sets...), names)
	if err != nil {
		return nil, nil, err
	}
	chosen, err := pick(f, names)
	if err != nil {
		return nil, nil, err
	}
	if len(chosen) > 1 {
		return nil, nil, badInput(fmt.Errorf("%s compares several variants; choose one with --variant: %s", path, strings.Join(f.VariantNames(), ", ")))
	}
	return chosen[0], f.Notices, nil
}
