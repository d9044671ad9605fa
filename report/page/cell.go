package page

// summaryCell is a number, "" if there is none.
type summaryCell struct {
	Text, Interval string
	// Sort is the value that rows are sorted by, "" if there is none.
	Sort string
	// Rank is the cell's among those that can be compared with it.
	Rank rank
	// Marks are what qualifies the number.
	Marks string
}

// rank is what a value is among those that it can be compared with. It is the name of a class
// of the style sheet.
type rank string

const (
	// best is better than all others, beyond the intervals if there are some.
	best rank = "best"
	// near is one of those that the seeds do not separate from the best, or that best.
	near rank = "near"
	// amiss is no value: messages did not finish, or runs failed.
	amiss rank = "amiss"
	// barred is a value that is not ranked.
	barred rank = "barred"
)

// Said is the rank for readers who do not see colours.
func (r rank) Said() string {
	switch r {
	case best:
		return "best"
	case near:
		return "not separated from the best"
	case barred:
		return "not ranked"
	}
	return ""
}
