package record

import (
	"fmt"
	"slices"
	"strings"

	"weft/internal/readable"
)

// Notice qualifies the numbers of a run, so readers must see it next to them. Other remarks about
// a run appear only in its manifest's notices, which also include these texts.
type Notice struct {
	Kind NoticeKind `json:"kind"`
	// Text is the full notice, without the run's name.
	Text string `json:"text"`
}

// NoticeKind is the kind of a notice, for programs. Files have it next to the text.
type NoticeKind string

// Kinds of notices. A run with one of the first group is not ranked.
const (
	// NoticePartial: the run stopped early, stuck or interrupted.
	NoticePartial NoticeKind = "partial"
	// NoticeUnfinished: more than a few messages did not finish.
	NoticeUnfinished NoticeKind = "unfinished"
	// NoticeUnstable: the backlog grows for as long as the run lasts.
	NoticeUnstable NoticeKind = "unstable"
	// NoticeLocked: some senders lose and others win only because their clocks are exact.
	NoticeLocked NoticeKind = "locked"
	// NoticeStarved: some host or sender gets next to nothing.
	NoticeStarved NoticeKind = "starved"
	// NoticeVoid: the machine did not keep up with the clock, so the run shows nothing about the
	// fabric.
	NoticeVoid NoticeKind = "void"

	// NoticeTooShort: the measured window is too short to judge whether the run is stable.
	NoticeTooShort NoticeKind = "too-short"
	// NoticeHeadroomLoss: a lossless class lost frames because headroom was too small.
	NoticeHeadroomLoss NoticeKind = "headroom-loss"
	// NoticeSpurious: many retransmissions were of packets that had arrived.
	NoticeSpurious NoticeKind = "spurious"
	// NoticeReordered: packets that overtook others were mistaken for losses.
	NoticeReordered NoticeKind = "reordered"
	// NoticeQualified: any other reservation that the numbers do not show.
	NoticeQualified NoticeKind = "qualified"
)

// NoticeKinds lists the kinds; those that keep a run from being ranked come first.
func NoticeKinds() []NoticeKind {
	return []NoticeKind{NoticePartial, NoticeUnfinished, NoticeUnstable, NoticeLocked, NoticeStarved, NoticeVoid, NoticeTooShort, NoticeHeadroomLoss, NoticeSpurious, NoticeReordered, NoticeQualified}
}

// Bars reports whether a run with such a notice must not be ranked. Pages, figures, tables and
// ledgers all use this rule to decide what may be called best.
func (k NoticeKind) Bars() bool {
	switch k {
	case NoticePartial, NoticeUnfinished, NoticeUnstable, NoticeLocked, NoticeStarved, NoticeVoid:
		return true
	}
	return false
}

// Word returns the mark that stands next to a number, as in "unstable".
func (k NoticeKind) Word() string {
	switch k {
	case NoticeLocked:
		return "phase-locked"
	case NoticeTooShort:
		return "short window"
	case NoticeHeadroomLoss:
		return "headroom lost frames"
	case NoticeSpurious:
		return "spurious retransmits"
	}
	return string(k)
}

// Meaning explains the mark, for footnotes.
func (k NoticeKind) Meaning() string {
	switch k {
	case NoticePartial:
		return "a run was cut short, so its numbers are not those of the scenario"
	case NoticeUnfinished:
		return fmt.Sprintf("more than %g %% of the messages did not finish", 100*FewUnfinished)
	case NoticeUnstable:
		return "the backlog grows as long as a run lasts, so its numbers depend on how long that is; it is not ranked"
	case NoticeLocked:
		return "hosts are exact, and the same senders get less than equal ones all the time, which seeds do not show; it is not ranked"
	case NoticeStarved:
		return "some hosts or senders got next to nothing, which the mean does not show; it is not ranked"
	case NoticeVoid:
		return "the machine did not keep up with the clock, so a run shows nothing of the fabric; it is not ranked"
	case NoticeTooShort:
		return "the measured window is too short to tell whether the backlog grows"
	case NoticeHeadroomLoss:
		return "a lossless class lost frames for want of headroom"
	case NoticeSpurious:
		return "many retransmissions were of packets that had arrived"
	case NoticeReordered:
		return "packets that overtook others were taken for lost"
	}
	return "the report of the run says more"
}

// Of returns the notice as a line about a run.
func (n Notice) Of(name string) string {
	switch n.Kind {
	case NoticePartial, NoticeUnstable, NoticeVoid:
		return fmt.Sprintf("%s is %s: %s", name, n.Kind.Word(), n.Text)
	}
	return name + ": " + n.Text
}

// Void returns why a run shows nothing about the fabric, or "" if it does show something.
func (s *Summary) Void() string {
	for _, n := range s.Noted {
		if n.Kind == NoticeVoid {
			return n.Text
		}
	}
	return ""
}

// Notices returns everything that qualifies the numbers: first the notices that follow from the
// numbers, then those that the run noted.
func (s *Summary) Notices() []Notice {
	var list []Notice
	for _, find := range []func() (Notice, bool){s.cutShort, s.unstable, s.unfinished} {
		if n, ok := find(); ok {
			list = append(list, n)
		}
	}
	return append(list, s.Noted...)
}

// follows reports whether notices of this kind follow from the numbers. They are recomputed
// instead of read from files.
func (k NoticeKind) follows() bool {
	return slices.Contains([]NoticeKind{NoticePartial, NoticeUnfinished, NoticeUnstable, NoticeTooShort}, k)
}

// Kinds returns the kinds of the notices, each once.
func (s *Summary) Kinds() []NoticeKind {
	var kinds []NoticeKind
	for _, n := range s.Notices() {
		if !slices.Contains(kinds, n.Kind) {
			kinds = append(kinds, n.Kind)
		}
	}
	return kinds
}

// Marks returns the words of kinds, joined, as a mark next to a number. It is "" for none.
// NoticeUnfinished has no mark, because its word replaces the numbers.
func Marks(kinds []NoticeKind) string {
	var words []string
	for _, k := range NoticeKinds() {
		if k != NoticeUnfinished && slices.Contains(kinds, k) {
			words = append(words, k.Word())
		}
	}
	return strings.Join(words, ", ")
}

// Replaces reports whether a word replaces the numbers that a notice of this kind spoils: those
// of the traffic groups that did not finish.
func (k NoticeKind) Replaces() bool { return k == NoticePartial || k == NoticeUnfinished }

// Barred reports whether one of the kinds bars a run from being ranked although its numbers are
// shown.
func Barred(kinds []NoticeKind) bool {
	return slices.ContainsFunc(kinds, func(k NoticeKind) bool { return k.Bars() && !k.Replaces() })
}

func (s *Summary) cutShort() (Notice, bool) {
	if !s.Partial {
		return Notice{}, false
	}
	text := map[Ending]string{
		Stuck:       "it made no progress",
		Interrupted: "it was interrupted",
	}[s.Ended]
	if text == "" {
		text = "it did not come to its end"
	}
	switch {
	case s.Deadlocked:
		text = s.Cause
	case s.Cause != "":
		text += " (" + s.Cause + ")"
	}
	return Notice{NoticePartial, text}, true
}

func (s *Summary) unstable() (Notice, bool) {
	y := s.Stability
	switch {
	case y == nil:
	case y.Unstable:
		return Notice{NoticeUnstable, fmt.Sprintf("its backlog grows steadily in the measurement window, by %.1f %% of the offered load. A line explains %.0f %% of its variance (limits: %d %% of the load, %d %% of the variance). %s",
			100*y.Growth, 100*y.Fit, int(100*UnstableGrowth), int(100*UnstableFit), s.steadier())}, true
	case y.TooShort != "" && y.Grows():
		return Notice{NoticeTooShort, fmt.Sprintf("the run is too short to show whether it is stable: %s; its backlog grows by %.1f %% of the offered load", y.TooShort, 100*y.Growth)}, true
	}
	return Notice{}, false
}

// steadier says how to make an unstable run stable. If links cannot carry the load, only a lower
// load helps. If they can, the run may still be filling up, or its transport does not use them.
func (s *Summary) steadier() string {
	const filling = "A run that is still filling up looks the same: measure later (measure.from), and longer (until)"
	if s.Load == nil {
		return filling
	}
	tier, load, over := s.Load.Over()
	if over && s.Load.Advice != "" {
		return fmt.Sprintf("%s are offered %s of what they can carry, headers included, so no window makes it stable: %s", TierName(tier.Tier), readable.Percent(load), s.Load.Advice)
	}
	return fmt.Sprintf("The busiest links, %s, are offered %s of what they can carry, headers included, so transport, balancer or queues do not carry what links could. %s",
		TierName(tier.Tier), readable.Percent(load), filling)
}

func (s *Summary) unfinished() (Notice, bool) {
	started := ""
	if n := s.NotStarted(); n > 0 {
		started = fmt.Sprintf(" (%d not started)", n)
	}
	switch {
	case s.Missing() == 0 || !s.Partial && s.FewMissing():
		return Notice{}, false
	case s.Missing() == s.All():
		return Notice{NoticeUnfinished, fmt.Sprintf("none of %d messages finished%s", s.All(), started)}, true
	}
	text := fmt.Sprintf("%d of %d messages did not finish%s", s.Missing(), s.All(), started)
	if s.Finish != "" {
		text += ": " + s.Finish
	}
	return Notice{NoticeUnfinished, text}, true
}

// FewMissing reports whether so few messages did not finish that the run's numbers are
// unaffected.
func (s *Stats) FewMissing() bool { return float64(s.Missing()) <= FewUnfinished*float64(s.All()) }
