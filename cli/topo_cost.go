package cli

import (
	"fmt"

	"weft/analysis/cost"
	"weft/topo"
)

// topoCost is what a network costs, in US dollars of 2014.
type topoCost struct {
	PerHost float64 `json:"per_host"`
	Routers float64 `json:"routers_per_host"`
	Copper  float64 `json:"copper_per_host"`
	Fiber   float64 `json:"fibre_per_host"`
	Prices  string  `json:"prices"`
}

// newTopoCost adds up a network at Slim Fly's prices. It returns why there is no cost
// of networks that these do not suit: without hosts, or with routers of so few ports
// that their linear price is below 0.
func newTopoCost(g *topo.Graph) (c *topoCost, none error) {
	m := cost.SlimFly2014()
	b, err := m.Bill(g)
	if err != nil {
		return nil, err
	}
	hosts := float64(b.Hosts)
	return &topoCost{
		PerHost: b.PerHost(), Routers: b.RouterPrice / hosts, Copper: b.Copper.Price / hosts, Fiber: b.Fiber.Price / hosts,
		Prices: fmt.Sprintf("US dollars of 2014 (Slim Fly, SC 2014, §VI), equipment of %v; weft analyze cost takes others", m.Rate),
	}, nil
}

// line writes the cost for a table: the price, and what it consists of.
func (c *topoCost) line() (price, parts string) {
	return fmt.Sprintf("$%.0f", c.PerHost), fmt.Sprintf("routers %.0f, copper %.0f, fibre %.0f, at 40 Gb/s prices of 2014", c.Routers, c.Copper, c.Fiber)
}
