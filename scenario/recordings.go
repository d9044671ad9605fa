package scenario

import (
	"fmt"

	"weft/fabric"
	"weft/unit"
)

// bytesPerRow is what a row of series takes while results are written, beside what the run holds.
const bytesPerRow = 48 * unit.Byte

// stepsPerCount is after how many steps of the engine it is counted what the run has recorded.
const stepsPerCount = 16

// checkRecordings ends a run whose series no longer fit a table, or the machine's memory.
func (r *run) checkRecordings() error {
	rows := int64(0)
	count := func(key string, interval unit.Time, n int, full bool) error {
		rows += int64(n)
		if !full {
			return nil
		}
		return fmt.Errorf("record.%s is %v, and a series has %d buckets by %v, which is the most; write %s: %v or more, or end the run earlier, as in until: %v",
			key, interval, fabric.MostBuckets, r.now, key, 10*interval, r.now/10)
	}
	for _, s := range r.series {
		n, full := s.Buckets()
		if err := count("interval", r.interval, n, full); err != nil {
			return err
		}
	}
	for _, b := range r.buffering {
		n, full := b.Buckets()
		if err := count("buffers.interval", r.buffers.Interval, n, full); err != nil {
			return err
		}
	}
	samples := 3 * int64(len(r.credits.samples))
	for i := range r.windows.list {
		samples += 3 * int64(len(r.windows.list[i].samples))
	}
	rows += samples
	if have, lacking := lacking(unit.Bytes(rows) * bytesPerRow); lacking {
		return fmt.Errorf("record: series have %d values by %v, whose rows need %.1f GiB of memory, and %.1f GiB is available; record fewer ports, switches or connections, or write record.interval: %v or more",
			rows, r.now, gib(unit.Bytes(rows)*bytesPerRow), gib(have), 10*r.interval)
	}
	return nil
}
