package scenario

import (
	"weft/fabric"
	"weft/record"
)

// dropReason is a reason for which ports drop frames, as results have it.
type dropReason struct {
	count  func(*record.Drops) *int64
	losses bool // and not drops by design
}

// dropReasons are those of the fabric, which results call by the same names.
var dropReasons = func() (list [fabric.Reasons]dropReason) {
	for i := range list {
		list[i].count, list[i].losses = record.DropCounter(fabric.Reason(i).String())
	}
	return list
}()

// dropsOf returns the drops of a port as results have them.
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
