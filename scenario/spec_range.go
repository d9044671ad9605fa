package scenario

import (
	"fmt"
	"math"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"weft/config"
	"weft/problem"
)

// quantity matches a number with or without a unit. The number of digits is limited, since
// ranges multiply it.
var quantity = regexp.MustCompile(`^([0-9]{1,18}(?:\.[0-9]{1,12})?) ?([A-Za-zµ%/]{0,8})$`)

// maxFactors limits the values of a range with a factor, whose fractions grow long.
const maxFactors = 1000

// parseQuantity splits a quantity into number and unit. The number is nil if the text is
// not a quantity.
func parseQuantity(text string) (number *big.Rat, unit string) {
	m := quantity.FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		return nil, ""
	}
	number, _ = new(big.Rat).SetString(m[1])
	return number, m[2]
}

// rangeLevels returns one level per value of a range. It computes with fractions, so that
// steps of 0.1 reach 0.3 exactly. set is the field that each level sets, still without its
// value.
func rangeLevels(r *Range, set config.Field, at config.Place) ([]level, error) {
	wrong := func(what error) ([]level, error) {
		return nil, config.Wrong(at, problem.At(matrixKey, "%s: range of %s: %w", matrixKey, set.Key, what))
	}
	if (r.Step == "") == (r.Factor == "") {
		return wrong(problem.New("a range has either a step or a factor, as in {from: 20%%, to: 80%%, step: 20%%}"))
	}
	from, unit := parseQuantity(r.From)
	to, toUnit := parseQuantity(r.To)
	by, byUnit := parseQuantity(r.Step + r.Factor)
	for _, q := range []struct {
		text   string
		number *big.Rat
	}{{r.From, from}, {r.To, to}, {r.Step + r.Factor, by}} {
		if q.number == nil {
			return wrong(problem.New("%.40q is not a number with or without a unit, as in 20%%, 64KiB or 3", q.text))
		}
	}
	one := big.NewRat(1, 1)
	count := 0.0
	switch {
	case toUnit != unit:
		return wrong(problem.New("it goes from %s to %s", r.From, r.To).Mend("write both in the same unit"))
	case r.Step != "" && byUnit != unit:
		return wrong(problem.New("it goes from %s to %s by %s", r.From, r.To, r.Step).Mend("write all in the same unit"))
	case from.Cmp(to) > 0:
		return wrong(problem.New("it begins at %s, which is above its end, %s", r.From, r.To))
	case r.Step != "" && by.Sign() == 0:
		return wrong(problem.New("a step of %s does not reach the end", r.Step))
	case r.Factor != "" && (byUnit != "" || by.Cmp(one) <= 0):
		return wrong(problem.New("a factor is a number above 1 without a unit, not %s", r.Factor))
	case r.Factor != "" && from.Sign() == 0:
		return wrong(problem.New("no factor changes %s", r.From).Mend("begin above 0, or use a step"))
	case r.Step != "":
		count = float(new(big.Rat).Quo(new(big.Rat).Sub(to, from), by))
	default:
		count = math.Log(float(new(big.Rat).Quo(to, from))) / math.Log(float(by))
	}
	most := maxLevels
	if r.Factor != "" {
		most = maxFactors
	}
	if count >= float64(most) {
		return wrong(problem.New("it has more than %d values", most).Mend("take a larger step or factor"))
	}
	var list []level
	for v := from; v.Cmp(to) <= 0; {
		text := decimalText(v)
		if r.Factor != "" {
			text = decimalText(rounded(v, unit))
		}
		f := set
		f.Value = config.Text(text+unit, at)
		list = append(list, level{text + unit, []config.Field{f}})
		if next := new(big.Rat); r.Step != "" {
			v = next.Add(v, by)
		} else {
			v = next.Mul(v, by)
		}
	}
	return list, nil
}

func float(v *big.Rat) float64 {
	f, _ := v.Float64()
	return f
}

// rounded shortens a value that a factor led to: to three decimals, four digits, or whole
// bytes of KiB and larger units. Where there is a smallest unit, the result is a whole
// number of it.
func rounded(v *big.Rat, unit string) *big.Rat {
	if v.IsInt() {
		return v
	}
	decimals := 3
	switch unit {
	case "B", "bps", "ps":
		decimals = 0
	case "KiB", "MiB", "GiB", "TiB":
		bytes := new(big.Rat).SetInt64(1 << (10 * (1 + strings.Index("KMGT", unit[:1]))))
		whole := rounded(new(big.Rat).Mul(v, bytes), "B")
		return whole.Quo(whole, bytes)
	default:
		decimals = max(decimals, 3-int(math.Floor(math.Log10(float(v)))))
	}
	out, _ := new(big.Rat).SetString(v.FloatString(decimals))
	return out
}

// decimalText writes a fraction that has a finite decimal form.
func decimalText(v *big.Rat) string {
	places, _ := v.FloatPrec()
	return v.FloatString(places)
}

// seedList reads the seeds of a study. The file gives their number, starting from the
// scenario's own seed, or a range a..b, or a list of seeds and ranges.
func seedList(n *config.Node, first uint64) ([]uint64, error) {
	if !given(n) {
		return []uint64{first}, nil
	}
	var list []uint64
	add := func(from, to uint64, at config.Place) error {
		if to-from >= maxSeeds || uint64(len(list))+to-from >= maxSeeds {
			return config.Wrong(at, problem.At(seedsKey, "%s: more than %d seeds are not allowed", seedsKey, maxSeeds))
		}
		for s := from; ; s++ {
			list = append(list, s)
			if s == to {
				return nil
			}
		}
	}
	switch n.Kind {
	case config.Sequence:
		for _, item := range n.Items {
			from, to, err := seedRange(item)
			if err == nil {
				err = add(from, to, item.Place)
			}
			if err != nil {
				return nil, err
			}
		}
		slices.Sort(list)
		list = slices.Compact(list)
	case config.Scalar:
		from, to := first, first
		if count, err := strconv.ParseUint(n.Text, 10, 64); err != nil {
			if from, to, err = seedRange(n); err != nil {
				return nil, err
			}
		} else if count == 0 {
			break
		} else if to = first + count - 1; to < first {
			return nil, config.Wrong(n.Place, problem.At(seedsKey, "%s: there are fewer than %d seeds from %d on", seedsKey, count, first).Mend("choose a smaller seed"))
		}
		if err := add(from, to, n.Place); err != nil {
			return nil, err
		}
	default:
		return nil, notSeeds(n)
	}
	if len(list) == 0 {
		return nil, config.Wrong(n.Place, problem.At(seedsKey, "%s: without a seed the study would have no runs", seedsKey).Mend("give at least one"))
	}
	return list, nil
}

// seedRange reads a seed or a range of seeds.
func seedRange(n *config.Node) (from, to uint64, err error) {
	first, last, ok := strings.Cut(n.Text, "..")
	if !ok {
		last = first
	}
	from, err = strconv.ParseUint(strings.TrimSpace(first), 10, 64)
	to, err2 := strconv.ParseUint(strings.TrimSpace(last), 10, 64)
	switch {
	case n.Kind != config.Scalar || err != nil || err2 != nil:
		return 0, 0, notSeeds(n)
	case from > to:
		return 0, 0, config.Wrong(n.Place, problem.At(seedsKey, "%s: the range %s begins above its end", seedsKey, n.Text))
	}
	return from, to, nil
}

func notSeeds(n *config.Node) error {
	what := n.Kind.String()
	if n.Kind == config.Scalar {
		what = fmt.Sprintf("%.40q", n.Text)
	}
	return config.Wrong(n.Place, problem.At(seedsKey, "%s: write how many (seeds: 5), a range (seeds: 1..5), or a list of seeds and ranges (seeds: [1, 2, 10..12]), not %s", seedsKey, what))
}
