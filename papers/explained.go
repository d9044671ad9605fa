package papers

import (
	"fmt"
	"slices"
	"strings"

	"weft/config"
)

// about tells whether an explanation is about a miss of a check: about all that a claim
// misses if it does not say of what it is.
func (x *Explanation) about(check *CheckResult, miss string) bool {
	return len(x.Of) == 0 || slices.ContainsFunc(x.Of, func(part string) bool {
		return part == check.Name || strings.Contains(miss, part)
	})
}

// explain finds which misses of a claim no explanation that is met is about, and whether
// those that are about them are causes.
func (r *ClaimResult) explain(list []Explanation) {
	if r.Verdict != Partly && r.Verdict != Not {
		return
	}
	for i := range r.Checks {
		k := &r.Checks[i]
		for _, miss := range k.Misses {
			explained, foreseen, caused := false, false, false
			for j := range list {
				if r.Explanations[j].Met && list[j].about(k, miss) {
					explained, foreseen, caused = true, foreseen || !list[j].Known, caused || !list[j].Reading
				}
			}
			switch {
			case explained:
				r.Explained, r.Known, r.Reading = true, r.Known || !foreseen, r.Reading || !caused
			case miss == k.Name || !k.named:
				r.Unexplained = append(r.Unexplained, miss)
			default:
				r.Unexplained = append(r.Unexplained, k.Name+": "+miss)
			}
		}
	}
	r.Explained = r.Explained && len(r.Unexplained) == 0
	r.Known, r.Reading = r.Known && r.Explained, r.Reading && r.Explained
}

// Explained counts claims that are not, or partly, reproduced and explained.
type Explained struct {
	Claims int `json:"claims"`
	// ByChange are those of which a cause explains each miss, ByReading the others, which
	// need another reading of the claim itself.
	ByChange  int `json:"by_change"`
	ByReading int `json:"by_reading"`
	// WhenKnown are those of both that need what was written when its numbers were known.
	WhenKnown int `json:"when_known"`
}

func countExplained(claims []ClaimResult) Explained {
	var n Explained
	for i := range claims {
		c := &claims[i]
		switch {
		case !c.Explained || c.Kind == KindOwn:
			continue
		case c.Reading:
			n.ByReading++
		default:
			n.ByChange++
		}
		n.Claims++
		if c.Known {
			n.WhenKnown++
		}
	}
	return n
}

// String says it of the claims that are not reproduced, as in "31 of the others explained";
// it is empty if none are.
func (n Explained) String() string {
	if n.Claims == 0 {
		return ""
	}
	text := fmt.Sprintf("%d of the others explained", n.Claims)
	switch {
	case n.ByReading == 0:
		text += " by a tested change"
	case n.ByChange == 0:
		text += ", only with another reading of the claim"
	default:
		text += fmt.Sprintf(", %d by a tested change and %d only with another reading of the claim", n.ByChange, n.ByReading)
	}
	if n.WhenKnown > 0 {
		text += fmt.Sprintf("; %d of the %d by what was written when its numbers were known", n.WhenKnown, n.Claims)
	}
	return text
}

// ExplainedInPart tells that explanations which are met are about some of what is missed.
func (r *ClaimResult) ExplainedInPart() bool {
	misses := 0
	for i := range r.Checks {
		misses += len(r.Checks[i].Misses)
	}
	return !r.Explained && len(r.Unexplained) > 0 && len(r.Unexplained) < misses
}

// checkAbout finds what explanations say they are about that the claim has not, once all of
// its checks have been evaluated; those of one scale only are not at the other.
func (r *ClaimResult) checkAbout(list []Explanation, place func(explanation int) config.Place) error {
	if len(r.Checks) == 0 || slices.ContainsFunc(r.Checks, func(k CheckResult) bool { return k.Missing != "" }) {
		return nil
	}
	errs := new(config.Error)
	for j := range list {
		for _, part := range list[j].Of {
			if !slices.ContainsFunc(r.Checks, func(k CheckResult) bool {
				return k.Name == part || slices.ContainsFunc(k.names, func(name string) bool { return strings.Contains(name, part) })
			}) {
				errs.Add(place(j), "the explanation is of %q, which is in the name neither of a check nor of a point of one; weft papers check --json lists them", part)
			}
		}
	}
	return errs.Err()
}
