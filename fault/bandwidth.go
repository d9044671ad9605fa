package fault

import (
	"fmt"
	"math"
	"reflect"
	"strings"

	"weft/catalog"
	"weft/problem"
	"weft/unit"
)

// Bandwidth is the rate that a fault leaves a link: an absolute rate ("200Gbps") or
// a share of the link's own rate ("50%"). At most one field is set.
type Bandwidth struct {
	Rate  unit.Rate
	Share unit.Ratio
}

// of returns the rate that remains of a link's own rate.
func (b Bandwidth) of(own unit.Rate) (unit.Rate, error) {
	rate := b.Rate
	if b.Share != 0 {
		rate = unit.Rate(math.Round(float64(b.Share) * float64(own)))
	}
	switch {
	case rate <= 0:
		return 0, problem.At("rate", "rate %v leaves nothing of %v", b, own).Mend("take the link down instead")
	case rate > own:
		return 0, problem.At("rate", "rate %v is more than the link's own %v", b, own)
	}
	return rate, nil
}

// String writes b so that UnmarshalText reads it again.
func (b Bandwidth) String() string {
	if b.Share != 0 {
		return b.Share.String()
	}
	return b.Rate.String()
}

// Form describes how a bandwidth is written.
func (Bandwidth) Form() catalog.Form {
	rate, share := catalog.FormOf(reflect.TypeFor[unit.Rate]()), catalog.FormOf(reflect.TypeFor[unit.Ratio]())
	return catalog.Form{Name: "rate or share", Example: "200Gbps", Pattern: rate.Pattern + "|" + share.Pattern}
}

// MarshalText writes b like String.
func (b Bandwidth) MarshalText() ([]byte, error) { return []byte(b.String()), nil }

// UnmarshalText reads a rate with its unit, or a share with a per cent sign.
func (b *Bandwidth) UnmarshalText(text []byte) error {
	s := strings.TrimSpace(string(text))
	if strings.HasSuffix(s, "%") {
		share, err := unit.ParseRatio(s)
		if err != nil {
			return err
		}
		*b = Bandwidth{Share: share}
		return nil
	}
	rate, err := unit.ParseRate(s)
	if err != nil {
		return fmt.Errorf(`%w; a share of the link's rate is written as in "50%%"`, err)
	}
	*b = Bandwidth{Rate: rate}
	return nil
}
