package workload

import "weft/unit"

// Row is a size and the share of messages that have it.
type Row struct {
	Size  unit.Bytes
	Share float64
}

// Rows returns the sizes of a distribution in ascending order with their shares, as if all sizes
// between two rows of a table were equal to the upper one (rule Step).
func Rows(s Sizes) []Row {
	switch s := s.(type) {
	case nominal:
		return Rows(s.Sizes)
	case Fixed:
		return []Row{{unit.Bytes(s), 1}}
	case *CDF:
		var rows []Row
		before := 0.0
		for i, share := range s.shares {
			if share > before {
				rows = append(rows, Row{max(1, unit.Bytes(s.sizes[i])), share - before})
			}
			before = share
		}
		return rows
	}
	return nil
}
