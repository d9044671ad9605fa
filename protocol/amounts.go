package protocol

import (
	"fmt"

	"weft/problem"
	"weft/unit"
)

// NamedAmount is an option that is an amount.
type NamedAmount struct {
	Name string
	unit.Amount
}

// CheckAmounts fails for amounts that a transport cannot resolve, shares of a whole and
// negative ones. The example is what to write instead.
func CheckAmounts(example string, list ...NamedAmount) error {
	for _, a := range list {
		switch {
		case a.Share != 0:
			return problem.At(a.Name, "%s is %v, but a share has no reference here", a.Name, a.Amount).Mend("write as in %s", example)
		case a.Bytes < 0 || !(a.BDPs >= 0):
			return fmt.Errorf("%s is negative or not a number; write as in %s", a.Name, example)
		}
	}
	return nil
}

// CheckCutoffs fails for sizes that do not divide messages, or packets, into levels.
func CheckCutoffs(cutoffs []unit.Bytes) error {
	for i, c := range cutoffs {
		if c < 1 || i > 0 && c <= cutoffs[i-1] {
			return problem.At(fmt.Sprintf("cutoffs[%d]", i), "cutoffs[%d] is %v", i, c).Mend("cutoffs are at least 1B and rise")
		}
	}
	return nil
}
