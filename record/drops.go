package record

// Drops counts dropped frames by reason.
type Drops struct {
	// QueueFull: the frame did not fit its queue.
	QueueFull int64 `parquet:"drops_queue_full" json:"queue_full"`
	// HeaderQueueFull: the header it was trimmed to did not fit either.
	HeaderQueueFull int64 `parquet:"drops_header_queue_full" json:"header_queue_full"`
	// LinkDown: the link was down, or failed under the frame.
	LinkDown int64 `parquet:"drops_link_down" json:"link_down"`
	// Loss: the link lost the frame at random.
	Loss int64 `parquet:"drops_loss" json:"loss"`
	// NoRoute: the switch knew no next hop.
	NoRoute int64 `parquet:"drops_no_route" json:"no_route"`
	// CreditQueueFull: a credit did not fit the queue of credits, as ports mean to.
	CreditQueueFull int64 `parquet:"drops_credit_queue_full" json:"credit_queue_full,omitempty"`
	// HeadroomFull: a frame of a lossless class fitted neither the shared buffer nor the headroom of its link.
	HeadroomFull int64 `parquet:"drops_headroom_full" json:"headroom_full,omitempty"`
	// PauseWatchdog: the watchdog dropped what waited, or came, for a class that was paused for too long.
	PauseWatchdog int64 `parquet:"drops_pause_watchdog" json:"pause_watchdog,omitempty"`
}

// reason is one for which frames are dropped.
type reason struct {
	// key is its key in JSON, and behind "drops_" the name of its column.
	key   string
	count func(*Drops) *int64
	// meant are drops by design, which are no losses.
	meant bool
	// later ones came after the first results: hashes have them by name, and where there are some.
	later bool
	// added ones may lack a column in results of earlier programs.
	added bool
}

// reasons lists all, in the order of their columns.
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

// column is the name of the reason's column.
func (r *reason) column() string { return "drops_" + r.key }

// Total returns the drops for all reasons but the limit of credits: those are dropped
// by design, and counted apart.
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
	for i := range reasons {
		if r := &reasons[i]; r.key == key {
			return *r.count(&d)
		}
	}
	panic("record: no drops for the reason " + key)
}

func (d *Drops) add(o *Drops) {
	for i := range reasons {
		*reasons[i].count(d) += *reasons[i].count(o)
	}
}
