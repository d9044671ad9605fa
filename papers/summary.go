package papers

import "fmt"

// Simulable counts the claims that can be checked at all.
func (r *Result) Simulable() int { return len(r.Claims) - r.Counts[NotSimulable] }

// Share is which share of the simulable claims is reproduced, from 0 to 1.
func (r *Result) Share() float64 {
	if r.Simulable() == 0 {
		return 0
	}
	return float64(r.Counts[Reproduced]) / float64(r.Simulable())
}

// Explained counts the claims that are not, or partly, reproduced and explained.
func (r *Result) Explained() int {
	n := 0
	for i := range r.Claims {
		if r.Claims[i].Explained {
			n++
		}
	}
	return n
}

// Headline sums up in a line.
func (r *Result) Headline() string {
	text := ""
	for _, v := range Verdicts() {
		if n := r.Counts[v]; n > 0 || v == Reproduced {
			if text != "" {
				text += ", "
			}
			text += fmt.Sprintf("%d %s", n, v)
		}
	}
	text = fmt.Sprintf("%d claims: %s", len(r.Claims), text)
	if n := r.Simulable(); n > 0 {
		text += fmt.Sprintf("; %.0f %% of the %d simulable ones reproduced", 100*r.Share(), n)
	}
	if n := r.Explained(); n > 0 {
		text += fmt.Sprintf(", %d of the others explained by a tested change", n)
	}
	return text
}

// Incomplete lists the studies of which runs are missing.
func (r *Result) Incomplete() []StudyResult {
	var list []StudyResult
	for _, s := range r.Studies {
		if s.Missing > 0 || s.Stale {
			list = append(list, s)
		}
	}
	return list
}
