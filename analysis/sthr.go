package analysis

import (
	"errors"
	"fmt"

	"weft/catalog"
	"weft/unit"
)

// SThr is SIRD's threshold of a congested sender as models take it: as the scenarios have
// it, in bytes, in bandwidth-delay products, or inf for none.
type SThr struct {
	unit.Amount
	Inf bool
}

const infinite = "inf"

// UnmarshalText reads an amount as unit.ParseAmount does, or inf.
func (t *SThr) UnmarshalText(text []byte) error {
	if string(text) == infinite {
		*t = SThr{Inf: true}
		return nil
	}
	a, err := unit.ParseAmount(string(text))
	if err != nil {
		return fmt.Errorf("%w, or %s", err, infinite)
	}
	*t = SThr{Amount: a}
	return nil
}

// MarshalText writes t like UnmarshalText reads it.
func (t SThr) MarshalText() ([]byte, error) {
	if t.Inf {
		return []byte(infinite), nil
	}
	return t.Amount.MarshalText()
}

// Form describes how an SThr is written.
func (SThr) Form() catalog.Form { return catalog.Form{Name: "amount or inf", Example: "0.5BDP"} }

func (t SThr) check() error {
	if t.Share != 0 {
		return errors.New("sthr: a share of what? Write bytes or bandwidth-delay products, as in 50KB or 0.5BDP")
	}
	return nil
}

// resolve returns a threshold that is not infinite.
func (t SThr) resolve(bdp unit.Bytes) unit.Bytes { return t.Resolve(bdp, 0) }
