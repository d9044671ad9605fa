package section

import (
	"slices"

	"weft/unit"
)

// Section is what one feature reports on a run. Its JSON is its object in summary.json.
type Section interface {
	// Name returns the key of the object.
	Name() string
	// Metrics returns the numbers that can be averaged over runs. Sections with the same name
	// have the same metrics, whatever their content.
	Metrics(Run) []Metric
	// Columns returns its columns in the table of runs. Sections with the same name have the same
	// columns.
	Columns(Run) []Column
}

// Run is what a section may ask about its run.
type Run interface {
	// Dropped returns the number of frames that ports dropped for a reason, by its name in
	// summary.json.
	Dropped(reason string) int64
}

// Grouped is a section with numbers of single groups of traffic.
type Grouped interface {
	Section
	// GroupMetrics returns the numbers of a group by their names without it; none if the section is about other groups.
	// An empty section has those of any group.
	GroupMetrics(group string) []Metric
}

// Tabled is a section with a table of its own, printed below the table of runs.
type Tabled interface {
	Section
	// LargestRate returns the largest rate in its table, or 0 without rates. Tables of several
	// runs share the unit of rates.
	LargestRate() unit.Rate
	Table(rates unit.RateScale) Table
}

// Table is a section's table for one run. Several runs share the heading of the first.
type Table struct {
	// Heading has two lines. Their first cells stand above the names of runs.
	Heading [2][]string
	// Rows do not include the run's name, which precedes the first row.
	Rows [][]string
	// Left is how many columns are flush left, including the column of names.
	Left int
	// First says that it stands above the table of runs, since it has what the runs were for.
	First bool
}

// Metric is one number of a run, for tables over many runs.
type Metric struct {
	// Name is its name in tables and on command lines, such as "fct_p99_us". The name for a
	// traffic group is "group.fct_p99_us".
	Name string
	// Title and Unit are for axes and headings. A count has no unit.
	Title, Unit string
	// Value is NaN if the run has no such number.
	Value float64
	// LowerIsBetter says which direction is good. Neutral says that neither is.
	LowerIsBetter, Neutral bool
	Basis
}

// Basis is what a metric is computed over. It determines whether the value is valid if messages
// did not finish.
type Basis struct {
	// Group is the traffic group or the size class; "" is all messages.
	Group string
	// Ideal is the denominator of a slowdown. The title names it too.
	Ideal string
	// Completion marks a time until messages finish. OfFinished marks values over finished
	// messages only. A Completion that is not OfFinished lasts until the last message.
	Completion, OfFinished bool
	// Windowed marks values over the measured window of a run with load, which count packets or
	// messages by their arrival. So they are valid even if messages did not finish.
	Windowed bool
	// Shortfall marks values that report what went wrong, or the number of messages. They are
	// always valid.
	Shortfall bool
}

// UntilLast reports whether the value lasts until the last message finishes. If a message did not
// finish, the true value is larger than the known one.
func (b *Basis) UntilLast() bool { return b.Completion && !b.OfFinished }

// Column is one column of the table of runs, with two lines of heading.
type Column struct{ Above, Below, Text string }

// Highlight is a metric, by name, that the summary of a report shows, with a short heading and a
// unit below it.
type Highlight struct{ Metric, Heading, Unit string }

// Bytes is a size in bytes that JSON shows as a plain number. JSON shows a unit.Bytes as a text
// with its unit.
type Bytes unit.Bytes

// Kind declares a section.
type Kind struct {
	// New returns an empty section, to be read into.
	New func() Section
	// Highlights are shown if any row has a value other than 0.
	Highlights []Highlight
	// Leading lists metrics that matter more than those that all runs have. Tables and figures of
	// studies begin with them.
	Leading []string
}

// Name returns the name of its sections.
func (k *Kind) Name() string { return k.New().Name() }

// Set holds the sections of a run, at most one of each name.
type Set []Section

// Add adds a section.
func (s *Set) Add(one Section) { *s = append(*s, one) }

// Get returns the section with a name, or nil.
func (s Set) Get(name string) Section {
	if i := slices.IndexFunc(s, func(o Section) bool { return o.Name() == name }); i >= 0 {
		return s[i]
	}
	return nil
}

// Of returns the section of a type, or the type's zero value.
func Of[S Section](set Set) S {
	for _, one := range set {
		if found, ok := one.(S); ok {
			return found
		}
	}
	var none S
	return none
}
