package scenario

import (
	"fmt"

	"weft/scenario/internal/watch"
	"weft/unit"
)

// bytesPerRow is the memory of a row of a series while results are written, in addition to
// what the run holds.
const bytesPerRow = 48 * unit.Byte

// stepsPerCount is the number of engine steps between two counts of the recorded rows.
const stepsPerCount = 16

// checkRecordings ends a run whose series no longer fit a table or the machine's memory.
func (r *run) checkRecordings() error {
	rows := int64(0)
	for _, o := range r.observers {
		if noting, ok := o.(watch.Recorder); ok {
			n, err := noting.Recorded(r.Now)
			if err != nil {
				return err
			}
			rows += n
		}
	}
	if have, lacking := lacking(unit.Bytes(rows) * bytesPerRow); lacking {
		return fmt.Errorf("record: series have %d values by %v, whose rows need %.1f GiB of memory, and %.1f GiB is available; record fewer ports, switches or connections, or write record.interval: %v or more",
			rows, r.Now, gib(unit.Bytes(rows)*bytesPerRow), gib(have), 10*r.records.Interval)
	}
	return nil
}
