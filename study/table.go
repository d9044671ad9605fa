package study

// Table is a study in numbers: a row a cell, which is a point of the matrix over
// all its seeds.
type Table struct {
	// Name is the study's.
	Name string
	// Axes are what cells differ in, in the order of the file: the variants of
	// compare: first, then the axes of matrix:.
	Axes []Axis
	// Metrics are the columns of numbers, in the order of record.Summary.Metrics.
	Metrics []Column
	Cells   []Cell
}

// Axis is one of the dimensions of a study.
type Axis struct {
	// Name is how tables and the command line call it, Path the parameter that it
	// changes, empty if it changes several.
	Name, Path string
	// Levels are the labels of its values, in their order.
	Levels []string
	// Numbers are the values of the levels in the unit Unit, if all are quantities
	// of one kind; nil otherwise.
	Numbers []float64
	Unit    string
}

// Column describes a metric, as record.Metric does.
type Column struct {
	Name, Title, Unit      string
	LowerIsBetter, Neutral bool
}

// Cell is a point of the matrix.
type Cell struct {
	// Name is for people, as in "ARCANE, load 60%".
	Name string
	// Levels are the indices of its levels, one for each axis.
	Levels []int
	// Runs counts the seeds; Done those that have a whole result, Partial those
	// whose result was cut short (stuck), Failed those without one.
	Runs, Done, Partial, Failed int
	// Estimates are over the seeds that are done, one for each metric.
	Estimates []Estimate
}

// Estimate is a mean over seeds.
type Estimate struct {
	// N is the number of values; runs in which a metric does not exist don't
	// count. Mean is NaN if N is 0.
	N    int
	Mean float64
	// Low and High are the 95 % confidence interval of the mean, by bootstrap;
	// NaN if N is below 2.
	Low, High float64
	// Min and Max are the extremes.
	Min, Max float64
}
