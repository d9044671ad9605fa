package record

import "weft/unit"

// Jobs is what became of the traces that hosts replayed.
type Jobs struct {
	// Ranks are all ranks, and Activities what some of them did when.
	Ranks      []Rank
	Activities []Activity
	// Collectives are the classes of collectives of the traces.
	Collectives []Collective
}

// Rank is what a rank of a trace did in a run: the parts of its job's time, which they add up to.
type Rank struct {
	// Group is the group of traffic, and Host the name of the rank's host.
	Group string `parquet:"group,dict" json:"group"`
	Rank  int32  `parquet:"rank" json:"rank"`
	Host  string `parquet:"host,dict" json:"host"`
	// Computing is the time in which a processor computed. Exposed is the rest of the time in which a transfer was
	// under way that the rank awaited, Waiting that in which none of the messages had begun that it awaited. It is
	// Idle while it awaits nothing, and Done after its last operation.
	Computing unit.Time `parquet:"computing_ps" json:"computing_ps"`
	Exposed   unit.Time `parquet:"exposed_ps" json:"exposed_ps"`
	Waiting   unit.Time `parquet:"waiting_ps" json:"waiting_ps"`
	Idle      unit.Time `parquet:"idle_ps" json:"idle_ps"`
	Done      unit.Time `parquet:"done_ps" json:"done_ps"`
}

// Activity is an interval that a rank spent in one state, for figures. Short ones are merged.
type Activity struct {
	Group string    `parquet:"group,dict" json:"group"`
	Rank  int32     `parquet:"rank" json:"rank"`
	State string    `parquet:"state,dict" json:"state"`
	Begin unit.Time `parquet:"begin_ps" json:"begin_ps"`
	End   unit.Time `parquet:"end_ps" json:"end_ps"`
}

// Collective is the calls of a class of collectives in a run.
type Collective struct {
	// Group is the group of traffic, Name the collective and Ranks the kind of process group with as many ranks each.
	Group string `parquet:"group,dict" json:"group"`
	Name  string `parquet:"name,dict" json:"name"`
	Of    string `parquet:"of,dict" json:"of"`
	Ranks int32  `parquet:"ranks" json:"ranks"`
	Calls int64  `parquet:"calls" json:"calls"`
	// Bytes sums up the buffers, and Time the calls, each from the first begin at a rank to the last end.
	Bytes int64     `parquet:"bytes" json:"bytes"`
	Time  unit.Time `parquet:"time_ps" json:"time_ps"`
	// AlgorithmRate is bytes over time, and BusRate that times the factor of nccl-tests, in bit/s.
	AlgorithmRate int64 `parquet:"algorithm_bps" json:"algorithm_bps"`
	BusRate       int64 `parquet:"bus_bps" json:"bus_bps"`
}
