package scenario

import (
	"fmt"
	"slices"

	"weft/workload"
)

// assuming are options of a transport that reckons with sizes of messages, as Homa does for its
// priorities.
type assuming interface {
	// AssumedSizes are these sizes, nil if none are given.
	AssumedSizes() *workload.SizeSpec
	// WithoutSizes says what becomes of priorities if none are given, "" if that is fine.
	WithoutSizes() string
}

// hintSizes tells of a transport that reckons with sizes that no group of its traffic has. Those
// of a table may be of several groups together.
func (p *plan) hintSizes(s *Spec) {
	var first *Traffic
	var assumed *workload.SizeSpec
	var rows []workload.Row
	told, alike := false, true // groups have one distribution
	for i := range s.Traffic {
		t := &s.Traffic[i]
		o, ok := t.Transport.Congestion.Options.(assuming)
		if !ok {
			continue
		}
		if o.AssumedSizes() == nil {
			told = told || p.hintNoSizes(t, o)
			continue
		}
		assumed = o.AssumedSizes()
		own := messageRows(t)
		if own == nil || slices.Equal(own, sizeRows(*assumed)) {
			return
		}
		if first == nil {
			first, rows = t, own
		}
		alike = alike && slices.Equal(own, rows) && t.Reply == nil
	}
	if first == nil || !alike && assumed.CDF != "" {
		return
	}
	kind, own := first.Transport.Congestion.Kind, sizesAsWritten(first.Size)
	p.notice(fmt.Sprintf("%s sets priorities for sizes %s, but those of %s are %s, so its priorities fit other messages; write congestion: {kind: %[1]s, sizes: %[4]s}%[5]s",
		kind, sizesAsWritten(*assumed), first.Name, own, takenAway(*assumed, first.Size)))
}

// hintNoSizes tells of a transport that is told no sizes. A pattern that divides messages has others than its group says.
func (p *plan) hintNoSizes(t *Traffic, o assuming) (told bool) {
	without, kind := o.WithoutSizes(), t.Transport.Congestion.Kind
	switch {
	case without == "":
		return false
	case messageRows(t) == nil:
		p.notice(fmt.Sprintf("%s: %s; give it the sizes of messages (sizes)", kind, without))
	default:
		p.notice(fmt.Sprintf("%s: %s; write congestion: {kind: %[1]s, sizes: %[3]s}", kind, without, sizesAsWritten(t.Size)))
	}
	return true
}

// takenAway says how sizes of one key take the place of those of another where mappings are
// merged, so that both would be given. A size alone is no mapping, and takes it anyway.
func takenAway(old, own workload.SizeSpec) string {
	from, to := sizesKey(old), sizesKey(own)
	if from == to || to == "fixed" {
		return ""
	}
	return fmt.Sprintf(", and on the command line, --set with %s: null beside %s", from, to)
}

// sizesKey is the key that says what sizes are.
func sizesKey(s workload.SizeSpec) string {
	switch {
	case s.Workload != "":
		return "workload"
	case s.CDF != "":
		return "cdf"
	}
	return "fixed"
}

// messageRows are the sizes of a group's messages, nil if its pattern says them.
func messageRows(t *Traffic) []workload.Row {
	if ordered(t) {
		return nil
	}
	return sizeRows(t.Size)
}

func sizeRows(s workload.SizeSpec) []workload.Row {
	sizes, err := s.Load()
	if err != nil {
		return nil
	}
	return workload.Rows(sizes)
}

// sizesAsWritten are sizes as a file has them, in short.
func sizesAsWritten(s workload.SizeSpec) string {
	switch {
	case s.Workload != "":
		return fmt.Sprintf("{workload: %s}", s.Workload)
	case s.CDF != "":
		return fmt.Sprintf("{cdf: %s, rule: %v}", s.CDF, s.Rule)
	}
	return s.Fixed.String()
}
