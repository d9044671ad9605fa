package cost

import "fmt"

// Part is a group of prices that rise and sink together.
type Part string

// Parts.
const (
	Routers Part = "routers"
	Copper  Part = "copper"
	Fiber   Part = "fibre"
	// AllCables are copper and fibre.
	AllCables Part = "cables"
)

// Parts lists all of them.
func Parts() []Part { return []Part{Routers, Copper, Fiber, AllCables} }

func (b Bill) part(p Part) (float64, error) {
	switch p {
	case Routers:
		return b.RouterPrice, nil
	case Copper:
		return b.Copper.Price, nil
	case Fiber:
		return b.Fiber.Price, nil
	case AllCables:
		return b.Copper.Price + b.Fiber.Price, nil
	}
	return 0, fmt.Errorf("unknown part %q; there are %v", string(p), Parts())
}

// OfCables is the bill without routers, to compare cables alone.
func (b Bill) OfCables() Bill {
	b.RouterPrice = 0
	return b
}

// Flip tells which of two fabrics is cheaper, and at what price that changes.
type Flip struct {
	Part Part
	// Ratio is the price of the second fabric over that of the first, per host or per
	// what hosts are worth: above 1, the first is cheaper.
	Ratio float64
	// Factor is what the prices of Part have to be multiplied by, all others staying as
	// they are, for both fabrics to cost the same; Flips tells whether there is
	// one. Above and below it, the verdicts differ.
	Factor float64
	Flips  bool
}

// FlipPoint compares two fabrics, and finds the price of a part at which the
// verdict flips: costs are linear in it, so that there is one at most. Worth is
// what a host of each is worth, such as its throughput; 1 and 1 compare prices per
// host. It fails if a worth is not positive or the part is unknown.
func FlipPoint(first, second Bill, part Part, firstWorth, secondWorth float64) (Flip, error) {
	if !(firstWorth > 0) || !(secondWorth > 0) {
		return Flip{}, fmt.Errorf("hosts that are worth %v and %v; their worth must be positive", firstWorth, secondWorth)
	}
	a, err := first.part(part)
	if err != nil {
		return Flip{}, err
	}
	b, err := second.part(part)
	if err != nil {
		return Flip{}, err
	}
	x, y := float64(first.Hosts)*firstWorth, float64(second.Hosts)*secondWorth
	f := Flip{Part: part, Ratio: (second.Total() / y) / (first.Total() / x)}
	rest := (second.Total()-b)/y - (first.Total()-a)/x
	slope := a/x - b/y
	if slope != 0 {
		f.Factor = rest / slope
		f.Flips = f.Factor > 0
	}
	if !f.Flips {
		f.Factor = 0
	}
	return f, nil
}
