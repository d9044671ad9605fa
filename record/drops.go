package record

// Drops counts dropped frames by reason.
type Drops struct {
	// QueueFull: the frame did not fit into its queue.
	QueueFull int64 `parquet:"drops_queue_full" json:"queue_full"`
	// HeaderQueueFull: the header that was left after trimming did not fit either.
	HeaderQueueFull int64 `parquet:"drops_header_queue_full" json:"header_queue_full"`
	// LinkDown: the link was down, or failed while the frame was on it.
	LinkDown int64 `parquet:"drops_link_down" json:"link_down"`
	// Loss: the link lost the frame at random.
	Loss int64 `parquet:"drops_loss" json:"loss"`
	// NoRoute: the switch knew no next hop.
	NoRoute int64 `parquet:"drops_no_route" json:"no_route"`
	// CreditQueueFull: a credit did not fit into the credit queue. Ports use this to limit
	// credits.
	CreditQueueFull int64 `parquet:"drops_credit_queue_full" json:"credit_queue_full,omitempty"`
	// HeadroomFull: a frame of a lossless class fitted into neither the shared buffer nor the
	// headroom of its link.
	HeadroomFull int64 `parquet:"drops_headroom_full" json:"headroom_full,omitempty"`
	// PauseWatchdog: the watchdog dropped a frame that waited or arrived for a class that was
	// paused for too long.
	PauseWatchdog int64 `parquet:"drops_pause_watchdog" json:"pause_watchdog,omitempty"`
}

// reason is a reason for dropping frames.
type reason struct {
	// key is its key in JSON. Its column is named "drops_" and the key.
	key   string
	count func(*Drops) *int64
	// meant is set for drops by design, which are not losses.
	meant bool
	// later is set for reasons that did not exist in the first results. Hashes include them by
	// name, and only if there are any drops.
	later bool
	// added is set if results of earlier programs may lack the column.
	added bool
}

// reasons lists all reasons, in the order of their columns.
var reasons = []reason{
	{key: "queue_full", count: func(d *Drops) *int64 { return &d.QueueFull }},
	{key: "header_queue_full", count: func(d *Drops) *int64 { return &d.HeaderQueueFull }},
	{key: "link_down", count: func(d *Drops) *int64 { return &d.LinkDown }},
	{key: "loss", count: func(d *Drops) *int64 { return &d.Loss }},
	{key: "no_route", count: func(d *Drops) *int64 { return &d.NoRoute }},
	{key: "credit_queue_full", count: func(d *Drops) *int64 { return &d.CreditQueueFull }, meant: true, later: true},
	{key: "headroom_full", count: func(d *Drops) *int64 { return &d.HeadroomFull }, later: true, added: true},
	{key: "pause_watchdog", count: func(d *Drops) *int64 { return &d.PauseWatchdog }, later: true, added: true},
}

// column returns the name of the reason's column.
func (r *reason) column() string { return "drops_" + r.key }

// Total returns the drops for all reasons except the limit of credits, because those are by
// design and counted separately.
func (d Drops) Total() (n int64) {
	for i := range reasons {
		if r := &reasons[i]; !r.meant {
			n += *r.count(&d)
		}
	}
	return n
}

// Dropped returns the drops for a reason, by its key in JSON.
func (d Drops) Dropped(key string) int64 {
	count, _ := DropCounter(key)
	return *count(&d)
}

// DropCounter returns the counter for a reason, by its key in JSON, and whether these drops are
// losses. Some frames are dropped by design.
func DropCounter(key string) (count func(*Drops) *int64, losses bool) {
	for i := range reasons {
		if r := &reasons[i]; r.key == key {
			return r.count, !r.meant
		}
	}
	panic("record: no drops for the reason " + key)
}

func (d *Drops) add(o *Drops) {
	for i := range reasons {
		*reasons[i].count(d) += *reasons[i].count(o)
	}
}
