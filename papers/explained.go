package papers

import (
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

// explain finds which misses of a claim no explanation that is met is about.
func (r *ClaimResult) explain(list []Explanation) {
	if r.Verdict != Partly && r.Verdict != Not {
		return
	}
	for i := range r.Checks {
		k := &r.Checks[i]
		for _, miss := range k.Misses {
			explained, foreseen := false, false
			for j := range list {
				if r.Explanations[j].Met && list[j].about(k, miss) {
					explained, foreseen = true, foreseen || !list[j].Known
				}
			}
			switch {
			case explained:
				r.Explained, r.Known = true, r.Known || !foreseen
			case miss == k.Name || !k.named:
				r.Unexplained = append(r.Unexplained, miss)
			default:
				r.Unexplained = append(r.Unexplained, k.Name+": "+miss)
			}
		}
	}
	r.Explained = r.Explained && len(r.Unexplained) == 0
	r.Known = r.Known && r.Explained
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
// its checks have been evaluated.
func (r *ClaimResult) checkAbout(list []Explanation, place func(explanation int) config.Place) error {
	if slices.ContainsFunc(r.Checks, func(k CheckResult) bool { return k.Missing != "" }) {
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
