package record

import "weft/unit"

// Jobs is the outcome of the traces that hosts replayed.
type Jobs struct {
	// Ranks has all ranks, and Activities the timelines of some of them.
	Ranks      []Rank
	Activities []Activity
	// Collectives has the classes of collectives in the traces.
	Collectives []Collective
}

// Rank divides a job's time by what one of its ranks did. The parts add up to the job's time.
type Rank struct {
	// Group is the traffic group, and Host the name of the rank's host.
	Group string `parquet:"group,dict" json:"group"`
	Rank  int32  `parquet:"rank" json:"rank"`
	Host  string `parquet:"host,dict" json:"host"`
	// Computing is the time in which a processor computed. Exposed is the remaining time in which
	// a transfer that the rank awaited was under way. Waiting is the time in which none of the
	// awaited messages had begun. Idle is time in which it awaited nothing, and Done the time
	// after its last operation.
	Computing unit.Time `parquet:"computing_ps" json:"computing_ps"`
	Exposed   unit.Time `parquet:"exposed_ps" json:"exposed_ps"`
	Waiting   unit.Time `parquet:"waiting_ps" json:"waiting_ps"`
	Idle      unit.Time `parquet:"idle_ps" json:"idle_ps"`
	Done      unit.Time `parquet:"done_ps" json:"done_ps"`
}

// Activity is an interval that a rank spent in one state, for figures. Short intervals are
// merged.
type Activity struct {
	Group string    `parquet:"group,dict" json:"group"`
	Rank  int32     `parquet:"rank" json:"rank"`
	State string    `parquet:"state,dict" json:"state"`
	Begin unit.Time `parquet:"begin_ps" json:"begin_ps"`
	End   unit.Time `parquet:"end_ps" json:"end_ps"`
}

// Collective sums up the calls of one class of collectives in a run.
type Collective struct {
	// Group is the traffic group, Name the collective, Of the kind of process group, and Ranks
	// the number of ranks per process group.
	Group string `parquet:"group,dict" json:"group"`
	Name  string `parquet:"name,dict" json:"name"`
	Of    string `parquet:"of,dict" json:"of"`
	Ranks int32  `parquet:"ranks" json:"ranks"`
	Calls int64  `parquet:"calls" json:"calls"`
	// Bytes is the sum of the buffers, and Time the sum of the calls' durations, each from the
	// first begin at a rank to the last end.
	Bytes int64     `parquet:"bytes" json:"bytes"`
	Time  unit.Time `parquet:"time_ps" json:"time_ps"`
	// AlgorithmRate is Bytes over Time. BusRate is that times the factor of nccl-tests. Both are
	// in bit/s.
	AlgorithmRate int64 `parquet:"algorithm_bps" json:"algorithm_bps"`
	BusRate       int64 `parquet:"bus_bps" json:"bus_bps"`
}
