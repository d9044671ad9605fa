package unit

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"

	"weft/problem"
)

// Speed is how fast memory is, in bits per second. It is written in bytes per second, as memory is
// specified: "2TB/s".
type Speed int64

var speeds = quantity{
	noun: "speed", example: "2TB/s", zero: "0B/s",
	units: []symbol{
		{"TB/s", 8 * int64(TB)}, {"GB/s", 8 * int64(GB)}, {"MB/s", 8 * int64(MB)}, {"KB/s", 8 * int64(KB)}, {"B/s", 8},
		{"bps", int64(BitPerSecond)},
	},
	aliases: slices.Concat([]symbol{
		{"TiB/s", 8 * int64(TiB)}, {"GiB/s", 8 * int64(GiB)}, {"MiB/s", 8 * int64(MiB)}, {"KiB/s", 8 * int64(KiB)}, {"kB/s", 8 * int64(KB)},
	}, rates.units, rates.aliases),
	other: &confusion{},
	short: "B/s",
}

// ParseSpeed reads a speed such as "2TB/s" or "512GiB/s", or a rate in bits per second as ParseRate does.
func ParseSpeed(s string) (Speed, error) {
	v, err := speeds.parse(s)
	return Speed(v), err
}

// String writes s as a whole number of the largest unit possible: "3350GB/s".
func (s Speed) String() string { return speeds.format(int64(s)) }

// MarshalText writes s like String.
func (s Speed) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads s like ParseSpeed.
func (s *Speed) UnmarshalText(text []byte) error { return unmarshal(s, text, ParseSpeed) }

// Operations is how many operations an accelerator does per second: "312T".
type Operations float64

// prefixes are those of the SI, each 1000 times the one before.
var prefixes = []string{"", "k", "M", "G", "T", "P", "E"}

// ParseOperations reads operations per second such as "312T", "312e12" or "0": a number and perhaps one of k,
// M, G, T, P and E.
func ParseOperations(s string) (Operations, error) {
	const remedy = "write it as in 312e12 or 312T"
	number, name := split(s)
	value, err := decimal(number)
	if err != nil {
		return 0, problem.New("number of operations %s %w", shown(s), err).Mend(remedy)
	}
	power := slices.Index(prefixes, name)
	if power < 0 {
		return 0, problem.New("number of operations %s has the unknown prefix %s", shown(s), shown(name)).Mend(remedy)
	}
	factor := new(big.Int).Exp(big.NewInt(1000), big.NewInt(int64(power)), nil)
	v, _ := value.Mul(value, new(big.Rat).SetInt(factor)).Float64()
	if math.IsInf(v, 0) {
		return 0, fmt.Errorf("number of operations %s is too large", shown(s))
	}
	return Operations(v), nil
}

// String writes o with the largest prefix that leaves it at least 1: "312T".
func (o Operations) String() string {
	for power := len(prefixes) - 1; power > 0; power-- {
		v := float64(o) / math.Pow10(3*power)
		if v < 1 {
			continue
		}
		text := strconv.FormatFloat(v, 'f', -1, 64) + prefixes[power]
		if read, err := ParseOperations(text); err == nil && read == o {
			return text
		}
	}
	return strconv.FormatFloat(float64(o), 'g', -1, 64)
}

// MarshalText writes o like String.
func (o Operations) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// UnmarshalText reads o like ParseOperations.
func (o *Operations) UnmarshalText(text []byte) error { return unmarshal(o, text, ParseOperations) }
