package cost

import "fmt"

// Part is a group of prices that vary together.
type Part string

// Parts of a fabric.
const (
	Routers Part = "routers"
	Copper  Part = "copper"
	Fiber   Part = "fibre"
	// AllCables is copper and fibre together.
	AllCables Part = "cables"
)

// Parts lists all parts.
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

// OfCables returns the bill without routers, to compare cables alone.
func (b Bill) OfCables() Bill {
	b.RouterPrice = 0
	return b
}

// Flip says which of two fabrics is cheaper, and at what price that changes.
type Flip struct {
	Part Part
	// Ratio is the price of the second fabric divided by the first's, per host or per unit
	// of hosts' worth. Above 1, the first is cheaper.
	Ratio float64
	// Factor is the factor for the prices of Part, all others unchanged, at which both fabrics
	// cost the same. Above and below it, the verdicts differ. Flips reports whether there is such
	// a factor.
	Factor float64
	Flips  bool
}

// FlipPoint compares two fabrics and finds the price of a part at which the verdict flips. Costs
// are linear in it, so there is at most one such price. The worths say what a host of each fabric
// is worth, such as its throughput; 1 and 1 compare prices per host. FlipPoint fails if a worth
// is not positive or the part is unknown.
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
