package scenario

import (
	"fmt"
	"slices"

	"weft/workload"
)

// assuming is implemented by options of a control that assumes a distribution of message
// sizes, as Homa does for its priorities.
type assuming interface {
	// AssumedSizes returns the assumed sizes, or nil if none are given.
	AssumedSizes() *workload.SizeSpec
	// WithoutSizes describes the priorities used if no sizes are given, or returns "" if
	// they need no notice.
	WithoutSizes() string
}

// hintSizes notes a control that assumes sizes which no group of its traffic has. Sizes
// given as a table may describe several groups together.
func (p *plan) hintSizes(s *Spec) {
	var first *Traffic
	var assumed *workload.SizeSpec
	var rows []workload.Row
	told, alike := false, true // alike: all groups have one distribution
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

// hintNoSizes notes a control that is given no sizes. Nothing is noted for a pattern that
// divides its messages, since its sizes are not the group's.
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

// takenAway describes how to remove the old key of sizes. Merging mappings would keep both
// keys, except where the new sizes are a plain size, which replaces the mapping.
func takenAway(old, own workload.SizeSpec) string {
	from, to := sizesKey(old), sizesKey(own)
	if from == to || to == "fixed" {
		return ""
	}
	return fmt.Sprintf(", and on the command line, --set with %s: null beside %s", from, to)
}

// sizesKey returns the key by which sizes are given.
func sizesKey(s workload.SizeSpec) string {
	switch {
	case s.Workload != "":
		return "workload"
	case s.CDF != "":
		return "cdf"
	}
	return "fixed"
}

// messageRows returns the sizes of a group's messages, or nil if its pattern determines
// them.
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

// sizesAsWritten returns sizes as a file writes them, in short form.
func sizesAsWritten(s workload.SizeSpec) string {
	switch {
	case s.Workload != "":
		return fmt.Sprintf("{workload: %s}", s.Workload)
	case s.CDF != "":
		return fmt.Sprintf("{cdf: %s, rule: %v}", s.CDF, s.Rule)
	}
	return s.Fixed.String()
}
