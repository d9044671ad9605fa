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
		Short: "Add up the cost of routers and cables, and find the prices that flip the verdict",
		Long: `Add up the cost of a fabric's routers and cables at linear prices. A router costs
--router-fixed, plus --router-port per port. A cable costs --copper-fixed or
--fibre-fixed, plus --copper-metre or --fibre-metre per metre; these four are per Gb/s
of the cable's rate. Each group of routers has its own rack; other routers share
racks of --rack-routers. Racks stand in a square.

Each fabric is compared with the first. A ratio below 1 means that it is cheaper per
host. The output also shows how far the prices of routers, copper, fibre or all cables
must change to flip the verdict; for the verdict of cables alone, the price of fibre.
--worth weights the cost by what a host of each fabric is worth, such as its
throughput.

The default prices are those of 40 Gb/s equipment in 2014: replace them by quotes.
Host links are priced at the rate of that equipment, and other links in proportion.
--equipment-rate 0 prices every link at its own rate.

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
					return badInput(fmt.Errorf("--worth has %v; the worth of a host must be above 0", w))
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
	f.Var(rateFlag{&m.Rate}, "equipment-rate", "rate of the priced equipment; 0 uses the rates of links [Slim Fly §VI]")
	f.Float64Var(&m.Router.Fixed, "router-fixed", m.Router.Fixed, "price of a router without ports [Slim Fly §VI]")
	f.Float64Var(&m.Router.PerUnit, "router-port", m.Router.PerUnit, "price per router port [Slim Fly §VI]")
	f.IntSliceVar(&m.Ports, "router-ports", nil, "port counts that routers are sold with (default any)")
	f.Float64Var(&m.Copper.Fixed, "copper-fixed", m.Copper.Fixed, "price of a copper cable of 0 m, per Gb/s [Slim Fly §VI]")
	f.Float64Var(&m.Copper.PerUnit, "copper-metre", m.Copper.PerUnit, "price of a metre of copper cable, per Gb/s [Slim Fly §VI]")
	f.Float64Var(&m.Fiber.Fixed, "fibre-fixed", m.Fiber.Fixed, "price of a fibre cable of 0 m, per Gb/s [Slim Fly §VI]")
	f.Float64Var(&m.Fiber.PerUnit, "fibre-metre", m.Fiber.PerUnit, "price of a metre of fibre cable, per Gb/s [Slim Fly §VI]")
	f.Float64Var(&m.CopperReach, "copper-reach", m.CopperReach, "reach of copper between racks, in metres; 0 for fibre between all racks")
	f.IntVar(&m.RackRouters, "rack-routers", m.RackRouters, "routers per rack, for routers that belong to no group")
	f.Float64Var(&m.InRack, "in-rack", m.InRack, "length of a cable within a rack, in metres")
	f.Float64Var(&m.RackDistance, "rack-distance", m.RackDistance, "distance from one rack to the next, in metres")
	f.Float64Var(&m.Overhead, "overhead", m.Overhead, "extra length of a cable between racks, both ends together, in metres [Slim Fly §VI]")
	f.Float64SliceVar(&worth, "worth", nil, "worth of a host of each fabric, such as its throughput (default 1)")
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
		plain("ports", float64(b.Bought), "", "router ports bought"),
		plain("racks", float64(b.Racks), "", "racks"),
		plain("copper", float64(b.Copper.Count), "", "copper cables, host cables included"),
		plain("fibre", float64(b.Fiber.Count), "", "fibre cables"),
		plain("metres", b.Copper.Metres+b.Fiber.Metres, "m", "total cable length"),
		plain("density", b.Density(), "", "cables per host"),
		plain("routers/host", b.RouterPrice/float64(b.Hosts), "", "price of routers per host"),
		plain("copper/host", b.Copper.Price/float64(b.Hosts), "", "price of copper per host"),
		plain("fibre/host", b.Fiber.Price/float64(b.Hosts), "", "price of fibre per host"),
		plain("cables/host", (b.Copper.Price+b.Fiber.Price)/float64(b.Hosts), "", "price of all cables per host"),
		plain("price/host", b.PerHost(), "", "total price per host"),
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
			row.Numbers = append(row.Numbers, plain("ratio", f.Ratio, "", "price of the fabric that is named first over that of the other, per worth of a host"))
		}
		row.Numbers = append(row.Numbers, plain("flips at "+string(part), f.Factor, "",
			"factor on the price of "+string(part)+" at which both cost the same; beyond it the other is cheaper; 0 if there is none"))
	}
	f, err := cost.FlipPoint(first.OfCables(), second.OfCables(), cost.Fiber, x, y)
	if err != nil {
		return row, err
	}
	row.Numbers = append(row.Numbers,
		plain("cables ratio", f.Ratio, "", "price ratio of cables alone"),
		plain("cables flip at fibre", f.Factor, "", "factor on the price of fibre, with copper unchanged, at which cables alone cost the same; 0 if there is none"))
	return row, nil
}
