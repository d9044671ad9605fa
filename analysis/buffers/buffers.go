// Package buffers has the packet memory of published switches relative to their capacity.
package buffers

import "weft/unit"

// Switch is a switch or its ASIC.
type Switch struct {
	Name   string
	Maker  string
	Rate   unit.Rate  // of all ports together
	Buffer unit.Bytes // of all ports together; how much of it is shared differs
}

// Published lists the switches in SIRD's Table 3 (NSDI 2025, Appendix A).
func Published() []Switch {
	const tera, mega = 1000 * unit.Gbps, 1_000_000
	broadcom := func(name string, tbps float64, mb unit.Bytes) Switch {
		return Switch{name, "Broadcom", unit.Rate(tbps * float64(tera)), mb * mega}
	}
	nvidia := func(name string, tbps float64, mb unit.Bytes) Switch {
		s := broadcom(name, tbps, mb)
		s.Maker = "nVidia"
		return s
	}
	return []Switch{
		broadcom("Trident+", 0.64, 9),
		broadcom("Trident2", 1.28, 12),
		broadcom("Trident2+", 1.28, 16),
		broadcom("Trident3-X4", 1.7, 32),
		broadcom("Trident3-X5", 2, 32),
		broadcom("Tomahawk", 3.2, 16),
		broadcom("Trident3-X7", 3.2, 32),
		broadcom("Tomahawk 2", 6.4, 42),
		broadcom("Tomahawk 3 BCM56983", 6.4, 32),
		broadcom("Tomahawk 3 BCM56984", 6.4, 64),
		broadcom("Tomahawk 3 BCM56982", 8, 64),
		broadcom("Tomahawk 3", 12.8, 64),
		broadcom("Trident4 BCM56880", 12.8, 132),
		broadcom("Tomahawk 4", 25.6, 113),
		nvidia("Spectrum SN2100", 1.6, 16),
		nvidia("Spectrum SN2410", 2, 16),
		nvidia("Spectrum SN2700", 3.2, 16),
		nvidia("Spectrum SN3420", 2.4, 42),
		nvidia("Spectrum SN3700", 6.4, 42),
		nvidia("Spectrum SN3700C", 3.2, 42),
		nvidia("Spectrum SN4600C", 6.4, 64),
		nvidia("Spectrum SN4410", 8, 64),
		nvidia("Spectrum SN4600", 12.8, 64),
		nvidia("Spectrum SN4700", 12.8, 64),
		nvidia("Spectrum SN5400", 25.6, 160),
		nvidia("Spectrum SN5600", 51.2, 160),
	}
}

// For returns the switch's buffer scaled in proportion to the given total port rate, in bytes.
func (s Switch) For(rate unit.Rate) float64 {
	return float64(s.Buffer) * (float64(rate) / float64(s.Rate))
}
