package protocol

import (
	"fmt"

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
			return fmt.Errorf("%s cannot be a share; write as in %s", a.Name, example)
		case a.Bytes < 0 || !(a.BDPs >= 0):
			return fmt.Errorf("%s is negative; write as in %s", a.Name, example)
		}
	}
	return nil
}
