package papers

import (
	"fmt"
	"slices"
	"strings"

	"weft/config"
	"weft/internal/readable"
	"weft/problem"
)

// isOf reports whether an explanation covers a miss of a check. One that names no part covers
// every miss of the claim.
func (x *Explanation) isOf(check *CheckResult, miss string) bool {
	return len(x.Of) == 0 || slices.ContainsFunc(x.Of, func(part string) bool {
		return part == check.Name || strings.Contains(miss, part)
	})
}

// explain finds which misses of a claim explanations that are met explain, and whether
// those that do are causes.
func (r *ClaimResult) explain(list []Explanation) {
	if r.Verdict != Partly && r.Verdict != Not {
		return
	}
	for j := range list {
		r.match(&list[j], &r.Explanations[j])
	}
	for i := range r.Checks {
		k := &r.Checks[i]
		var left []string
		for _, miss := range k.Misses {
			explained, foreseen, caused := false, false, false
			for j := range list {
				if r.Explanations[j].Explains && list[j].isOf(k, miss) {
					explained, foreseen, caused = true, foreseen || !list[j].Known, caused || !list[j].Reading
				}
			}
			if !explained {
				left = append(left, k.missed(miss))
				continue
			}
			r.Explained, r.Known, r.Reading = true, r.Known || !foreseen, r.Reading || !caused
		}
		if len(k.Misses)-len(left) < k.lacks() {
			r.Unexplained = append(r.Unexplained, left...)
		}
	}
	r.Explained = r.Explained && len(r.Unexplained) == 0
	r.Known, r.Reading = r.Known && r.Explained, r.Reading && r.Explained
}

// match finds the misses that an explanation covers, and whether it explains them: it must be met,
// and tried at no fewer points than there are misses. Only a reading that names its part may be
// tried at fewer, since under such a reading the claim may not be about the others.
func (r *ClaimResult) match(x *Explanation, found *ExplanationResult) {
	needs, tried := 0, 0
	for i := range r.Checks {
		k, n := &r.Checks[i], 0
		for _, miss := range k.Misses {
			if x.isOf(k, miss) {
				found.Of = append(found.Of, k.missed(miss))
				n++
			}
		}
		needs += min(n, k.lacks())
	}
	for i := range found.Checks {
		tried += found.Checks[i].tried()
	}
	narrow := tried < needs && (!x.Reading || len(x.Of) == 0)
	if found.Met && narrow {
		found.Reason = fmt.Sprintf("it was tried at %s, but %d are missed", readable.Count(tried, "point"), needs)
	}
	found.Explains = found.Met && len(found.Of) > 0 && !narrow
}

// missed says what is missed, with the check's name if the ledger gives it one.
func (r *CheckResult) missed(miss string) string {
	if miss == r.Name || !r.named {
		return miss
	}
	return r.Name + ": " + miss
}

// lacks is of how many of its misses a check that is not met needs an explanation: of all, or
// of as many as would do where it asks for fewer points.
func (r *CheckResult) lacks() int {
	if r.short > 0 {
		return min(r.short, len(r.Misses))
	}
	return len(r.Misses)
}

// tried is at how many points, cells or pairs a check holds that is met.
func (r *CheckResult) tried() int {
	points := 0
	for _, q := range r.Points {
		if q.Met {
			points++
		}
	}
	return max(points, len(r.names)-len(r.Points))
}

// Explained counts claims that are not, or partly, reproduced and explained.
type Explained struct {
	Claims int `json:"claims"`
	// ByChange counts the claims whose every miss has a cause that explains it. ByReading counts
	// the others, which need another reading of the claim itself.
	ByChange  int `json:"by_change"`
	ByReading int `json:"by_reading"`
	// WhenKnown counts the claims of both kinds that need an explanation which was written when
	// its numbers were known.
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
		text += " by a changed experiment"
	case n.ByChange == 0:
		text += ", only by rereading the claim"
	default:
		text += fmt.Sprintf(", %d by a changed experiment and %d only by rereading the claim", n.ByChange, n.ByReading)
	}
	if n.WhenKnown > 0 {
		text += fmt.Sprintf("; %d of the %d by explanations written after the fact", n.WhenKnown, n.Claims)
	}
	return text
}

// ExplainedInPart reports that explanations cover some misses of the claim, but not all.
func (r *ClaimResult) ExplainedInPart() bool {
	misses := 0
	for i := range r.Checks {
		misses += len(r.Checks[i].Misses)
	}
	return !r.Explained && len(r.Unexplained) > 0 && len(r.Unexplained) < misses
}

// checkAbout finds explanations that name a part which the claim does not have. It looks once all
// checks of the claim are evaluated, since a check may exist at one scale only.
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
				errs.Report(place(j), problem.New("the explanation is of %q, which is in no name of a check or of its points", part).Mend("weft papers check --json lists them"))
			}
		}
	}
	return errs.Err()
}
