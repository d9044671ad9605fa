package scenario

import "weft/unit"

// hostJitter returns the most that a frame is delayed at a host.
func (p *plan) hostJitter(j HostJitter) unit.Time {
	if !j.Auto {
		return j.Size
	}
	return max(1, p.derived.hosts.Transmit(p.derived.packet)/autoJitter)
}
