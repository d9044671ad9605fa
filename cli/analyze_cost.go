package cli

import (
	"errors"
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"weft/analysis"
	"weft/analysis/cost"
	"weft/unit"
)

const costSource = "FatPaths §VII-A2, Figure 10; Slim Fly, SC 2014, §VI"

func (p *program) analyzeCost() *cobra.Command {
	var output analysisOutput
	m := cost.SlimFly2014()
	var worth []float64
	c := &cobra.Command{
		Use:   "cost FABRIC...",
		Short: "Add up what routers and cables cost, and at which prices the cheaper fabric changes",
		Long: `Add up the routers and cables of fabrics at linear prices: a router costs
--router-fixed and --router-port for each port, a cable --copper-fixed or
--fibre-fixed, and --copper-metre or --fibre-metre for each metre, for each Gb/s of its
rate. Groups of routers stand in a rack of their own, other routers --rack-routers to
a rack; racks stand in a square.

Each fabric is compared with the first: below a row's ratio of 1, it is cheaper per
host. The verdict flips if routers, copper, fibre or all cables cost so many times what
they do now; that of cables alone if fibre does. --worth takes what a host of each fabric is worth, such as its throughput.

The prices are those of 40 Gb/s equipment in 2014 unless you give others: replace
them by quotes. The links of hosts are taken to have the rate of the equipment, and
others in proportion; --equipment-rate 0 takes rates as they are.

Source: ` + costSource + `.`,
		Example: `  weft analyze cost slim-fly:size=10k dragonfly:size=10k fat-tree:tiers=3,radix=36
  weft analyze cost slim-fly:size=1k,rate=100Gbps fat-tree:tiers=3,radix=16,rate=100Gbps --worth 0.8,1
  weft analyze cost slim-fly:size=1k --router-ports 16,32,64 --copper-reach 5`,
		Args: someFabrics,
		RunE: func(c *cobra.Command, args []string) error {
			if len(worth) != 0 && len(worth) != len(args) {
				return badInput(fmt.Errorf("--worth has %d numbers for %d fabrics; give one for each", len(worth), len(args)))
			}
			for _, w := range worth {
				if !(w > 0) || math.IsInf(w, 1) {
					return badInput(fmt.Errorf("--worth has %v; what a host is worth is more than 0", w))
				}
			}
			fabrics, err := p.achieving(args)
			if err := errors.Join(err, m.Check()); err != nil {
				return badInput(err)
			}
			return p.show(c.Context(), output, "cost", func(func(float64)) (*analysis.Result, error) {
				r := &analysis.Result{Model: "cost", Source: costSource, Params: map[string]string{}}
				for _, flag := range []string{
					"equipment-rate",
					"router-fixed", "router-port", "router-ports", "copper-fixed", "copper-metre", "fibre-fixed", "fibre-metre",
					"copper-reach", "rack-routers", "in-rack", "rack-distance", "overhead", "worth",
				} {
					r.Params[flag] = c.Flags().Lookup(flag).Value.String()
				}
				var bills []cost.Bill
				for i, f := range fabrics {
					g, err := f.Graph()
					if err != nil {
						return nil, err
					}
					b, err := m.Bill(g)
					if err != nil {
						return nil, fmt.Errorf("%s: %w", args[i], err)
					}
					bills = append(bills, b)
					r.Rows = append(r.Rows, billRow(f.Name, b))
				}
				for i, b := range bills[1:] {
					x, y := 1.0, 1.0
					if len(worth) > 0 {
						x, y = worth[0], worth[i+1]
					}
					row, err := flipRow(args[i+1]+" : "+args[0], bills[0], b, x, y)
					if err != nil {
						return nil, err
					}
					r.Rows = append(r.Rows, row)
				}
				return r, nil
			})
		},
	}
	f := c.Flags()
	f.Var(rateFlag{&m.Rate}, "equipment-rate", "rate of the equipment whose prices these are; 0 takes the rates of links [Slim Fly §VI]")
	f.Float64Var(&m.Router.Fixed, "router-fixed", m.Router.Fixed, "price of a router without ports [Slim Fly §VI]")
	f.Float64Var(&m.Router.PerUnit, "router-port", m.Router.PerUnit, "price of a port of a router [Slim Fly §VI]")
	f.IntSliceVar(&m.Ports, "router-ports", nil, "numbers of ports that routers are sold with; any when absent")
	f.Float64Var(&m.Copper.Fixed, "copper-fixed", m.Copper.Fixed, "price of a copper cable of 0 m, for each Gb/s [Slim Fly §VI]")
	f.Float64Var(&m.Copper.PerUnit, "copper-metre", m.Copper.PerUnit, "price of a metre of it, for each Gb/s [Slim Fly §VI]")
	f.Float64Var(&m.Fiber.Fixed, "fibre-fixed", m.Fiber.Fixed, "price of a fibre cable of 0 m, for each Gb/s [Slim Fly §VI]")
	f.Float64Var(&m.Fiber.PerUnit, "fibre-metre", m.Fiber.PerUnit, "price of a metre of it, for each Gb/s [Slim Fly §VI]")
	f.Float64Var(&m.CopperReach, "copper-reach", m.CopperReach, "metres that copper reaches between racks; 0 for fibre between all racks")
	f.IntVar(&m.RackRouters, "rack-routers", m.RackRouters, "routers in a rack, of those that belong to no group")
	f.Float64Var(&m.InRack, "in-rack", m.InRack, "metres of a cable within a rack")
	f.Float64Var(&m.RackDistance, "rack-distance", m.RackDistance, "metres from a rack to the next")
	f.Float64Var(&m.Overhead, "overhead", m.Overhead, "metres that a cable between racks has more than both ways [Slim Fly §VI]")
	f.Float64SliceVar(&worth, "worth", nil, "what a host of each fabric is worth, such as its throughput; 1 when absent")
	output.tablesOnly(c)
	return c
}

// rateFlag is a rate on the command line.
type rateFlag struct{ *unit.Rate }

func (f rateFlag) Set(text string) error {
	if text == "0" {
		*f.Rate = 0
		return nil
	}
	rate, err := unit.ParseRate(text)
	if err != nil {
		return err
	}
	*f.Rate = rate
	return nil
}

// Type is what help calls the value.
func (rateFlag) Type() string { return "rate" }

func plain(name string, value float64, unit, about string) analysis.Number {
	return analysis.Number{Name: name, Value: value, Low: value, High: value, Unit: unit, About: about}
}

func billRow(name string, b cost.Bill) analysis.Row {
	return analysis.Row{Name: name, Of: "fabric", Numbers: []analysis.Number{
		plain("hosts", float64(b.Hosts), "", "hosts"),
		plain("routers", float64(b.Routers), "", "routers"),
		plain("ports", float64(b.Bought), "", "ports of routers that are bought"),
		plain("racks", float64(b.Racks), "", "racks"),
		plain("copper", float64(b.Copper.Count), "", "copper cables, with those of hosts"),
		plain("fibre", float64(b.Fiber.Count), "", "fibre cables"),
		plain("metres", b.Copper.Metres+b.Fiber.Metres, "m", "length of all cables"),
		plain("density", b.Density(), "", "cables for each host"),
		plain("routers/host", b.RouterPrice/float64(b.Hosts), "", "price of routers for each host"),
		plain("copper/host", b.Copper.Price/float64(b.Hosts), "", "price of copper for each host"),
		plain("fibre/host", b.Fiber.Price/float64(b.Hosts), "", "price of fibre for each host"),
		plain("cables/host", (b.Copper.Price+b.Fiber.Price)/float64(b.Hosts), "", "price of all cables for each host"),
		plain("price/host", b.PerHost(), "", "price of all for each host"),
	}}
}

func flipRow(name string, first, second cost.Bill, x, y float64) (analysis.Row, error) {
	row := analysis.Row{Name: name, Of: "compared"}
	for i, part := range cost.Parts() {
		f, err := cost.FlipPoint(first, second, part, x, y)
		if err != nil {
			return row, err
		}
		if i == 0 {
			row.Numbers = append(row.Numbers, plain("ratio", f.Ratio, "", "price of the second over that of the first, for what a host is worth"))
		}
		row.Numbers = append(row.Numbers, plain("flips at "+string(part), f.Factor, "",
			"factor on the price of "+string(part)+" at which both cost the same, and beyond which the other is cheaper; 0 if there is none"))
	}
	f, err := cost.FlipPoint(first.OfCables(), second.OfCables(), cost.Fiber, x, y)
	if err != nil {
		return row, err
	}
	row.Numbers = append(row.Numbers,
		plain("cables ratio", f.Ratio, "", "the ratio of prices of cables alone"),
		plain("cables flip at fibre", f.Factor, "", "factor on the price of fibre beside that of copper at which cables alone cost the same; 0 if there is none"))
	return row, nil
}
