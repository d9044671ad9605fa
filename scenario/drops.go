package scenario

import (
	"weft/fabric"
	"weft/record"
)

// dropReason is a reason why ports drop frames, as results name it.
type dropReason struct {
	count  func(*record.Drops) *int64
	losses bool // losses, not drops by design
}

// dropReasons maps the fabric's reasons to the results' counters, which have the same
// names.
var dropReasons = func() (list [fabric.Reasons]dropReason) {
	for i := range list {
		list[i].count, list[i].losses = record.DropCounter(fabric.Reason(i).String())
	}
	return list
}()

// dropsOf returns the drops of a port in the form of results.
func dropsOf(c *fabric.PortCounters) (d record.Drops) {
	for i, n := range c.Drops {
		*dropReasons[i].count(&d) = int64(n)
	}
	return d
}

// lostAt counts the frames that a port lost.
func lostAt(c *fabric.PortCounters) (frames uint64) {
	for i, n := range c.Drops {
		if dropReasons[i].losses {
			frames += n
		}
	}
	return frames
}
