package section

import (
	"slices"

	"weft/unit"
)

// Section is what one feature tells about a run. Its JSON is its object in summary.json.
type Section interface {
	// Name is the key of the object.
	Name() string
	// Metrics returns its numbers that can be averaged over runs. Sections of one name have the
	// same metrics, whatever they hold.
	Metrics(Run) []Metric
	// Columns returns what the table of runs shows of it. Sections of one name have the same columns.
	Columns(Run) []Column
}

// Run is what a section may ask of the run that it belongs to.
type Run interface {
	// Dropped counts the frames that ports dropped for a reason, by its name in summary.json.
	Dropped(reason string) int64
}

// Grouped is a section with numbers of single groups of traffic.
type Grouped interface {
	Section
	// GroupMetrics returns the numbers of a group by their names without it; none if the section is about other groups.
	// An empty section has those of any group.
	GroupMetrics(group string) []Metric
}

// Tabled is a section with a table of its own below that of runs.
type Tabled interface {
	Section
	// LargestRate returns the largest rate in its table, 0 if it has none. Tables of several runs share the unit of rates.
	LargestRate() unit.Rate
	Table(rates unit.RateScale) Table
}

// Table is what a section has to say of one run in rows. Several runs share the heading of the first.
type Table struct {
	// Heading has two lines. Their first cells stand above the names of runs.
	Heading [2][]string
	// Rows are without the name, which stands before the first.
	Rows [][]string
	// Left is how many columns are aligned to the left, that of names included.
	Left int
	// First says that it stands above the table of runs, since it has what the runs were for.
	First bool
}

// Metric is one number of a run, as tables over many runs know it.
type Metric struct {
	// Name is the word by which tables and command lines call it, such as
	// "fct_p99_us"; that of a group of traffic is "group.fct_p99_us".
	Name string
	// Title and Unit are for axes and headings; a count has no unit.
	Title, Unit string
	// Value is NaN if the run has no such number.
	Value float64
	// LowerIsBetter says which way is good; Neutral that neither is.
	LowerIsBetter, Neutral bool
	Basis
}

// Basis is what a metric is over. That tells whether its value stands where messages did not finish.
type Basis struct {
	// Group is the group of traffic or the class of sizes; "" is all messages.
	Group string
	// Ideal is what a slowdown is over, which its title names as well.
	Ideal string
	// Completion says that it is a time until messages finish; OfFinished that it is of the messages that
	// finished, and leaves out the others. A Completion that is not OfFinished lasts until the last message.
	Completion, OfFinished bool
	// Windowed says that it is over the measured window of a run with load, and counts packets or
	// messages by when they arrived. So it stands whether or not others finished.
	Windowed bool
	// Shortfall says that it tells of what is amiss, or how many messages there were. So it always stands.
	Shortfall bool
}

// UntilLast tells whether it lasts until the last message finishes, which is longer than is known
// if one did not.
func (b *Basis) UntilLast() bool { return b.Completion && !b.OfFinished }

// Column is one of the table of runs, with two lines of heading.
type Column struct{ Above, Below, Text string }

// Highlight is a metric that the summary of a report shows, by its name, with a short heading and
// what stands below it.
type Highlight struct{ Metric, Heading, Unit string }

// Bytes is a size in bytes that JSON shows as a plain number; that of a unit.Bytes is a
// text with its unit.
type Bytes unit.Bytes

// Kind declares a section.
type Kind struct {
	// New returns an empty one, which files are read into.
	New func() Section
	// Highlights are shown where they are not 0 in all rows.
	Highlights []Highlight
	// Leading are metrics that say what came of a run before any that all runs have. Tables and figures of studies
	// begin with them.
	Leading []string
}

// Name is that of its sections.
func (k *Kind) Name() string { return k.New().Name() }

// Set holds the sections of a run, at most one of each name.
type Set []Section

// Add adds a section.
func (s *Set) Add(one Section) { *s = append(*s, one) }

// Get returns the section of a name, nil if there is none.
func (s Set) Get(name string) Section {
	if i := slices.IndexFunc(s, func(o Section) bool { return o.Name() == name }); i >= 0 {
		return s[i]
	}
	return nil
}

// Of returns the section of a type, its zero value if there is none.
func Of[S Section](set Set) S {
	for _, one := range set {
		if found, ok := one.(S); ok {
			return found
		}
	}
	var none S
	return none
}
