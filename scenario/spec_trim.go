package scenario

import (
	"strconv"

	"weft/catalog"
	"weft/problem"
)

// TrimRatio is the number of frames of class 0 that may pass a waiting data frame before it
// goes. 0 means any number.
type TrimRatio int

const (
	strictly      = "strict"
	mostTrimRatio = 1_000_000
)

// UnmarshalText reads a number or "strict".
func (r *TrimRatio) UnmarshalText(text []byte) error {
	if string(text) == strictly {
		*r = 0
		return nil
	}
	n, err := strconv.Atoi(string(text))
	if err != nil || n < 1 || n > mostTrimRatio {
		return problem.New("%.40q is neither %s nor a number from 1 to %d", text, strictly, mostTrimRatio).Mend("write 10 for ten headers to a data frame")
	}
	*r = TrimRatio(n)
	return nil
}

// MarshalText writes r in the form that UnmarshalText reads.
func (r TrimRatio) MarshalText() ([]byte, error) {
	if r == 0 {
		return []byte(strictly), nil
	}
	return strconv.AppendInt(nil, int64(r), 10), nil
}

// Form describes how to write a TrimRatio.
func (TrimRatio) Form() catalog.Form {
	return catalog.Form{Name: "integer or strict", Example: "10", Words: []string{strictly}}
}
