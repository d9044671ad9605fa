package record

import (
	"math"

	"weft/unit"
)

// LeastHost reports how much less than the mean the slowest host sends within the measured
// window. A host counts only if it had at least as much to send as the mean host sent. Otherwise
// a host with little to send would look like one that was kept from sending.
type LeastHost struct {
	// Share is what the host sent relative to the mean, in payload, each byte once.
	Share float64 `json:"share"`
	Host  string  `json:"host"`
	// Senders is the number of hosts that had anything to send, over which the mean is taken.
	// Hosts is how many of them count.
	Senders int64 `json:"senders"`
	Hosts   int64 `json:"hosts"`
}

// HostLoad is the payload that a host had to send in a window, including what was left from
// before, and the payload that it sent.
type HostLoad struct{ Had, Sent unit.Bytes }

// LeastOf finds the least host. name returns the name for a host's number. LeastOf returns nil if
// nothing was sent.
func LeastOf(hosts []HostLoad, name func(host int) string) *LeastHost {
	l := &LeastHost{}
	sum := unit.Bytes(0)
	for _, h := range hosts {
		if h.Had > 0 {
			l.Senders++
			sum += h.Sent
		}
	}
	if sum == 0 {
		return nil
	}
	mean := float64(sum) / float64(l.Senders)
	least, at := unit.Bytes(math.MaxInt64), -1
	for i, h := range hosts {
		if h.Had == 0 || float64(h.Had) < mean {
			continue
		}
		l.Hosts++
		if h.Sent < least {
			least, at = h.Sent, i
		}
	}
	l.Share, l.Host = float64(least)/mean, name(at)
	return l
}

// metrics returns the metric, NaN if l is nil.
func (l *LeastHost) metrics() []Metric {
	share := math.NaN()
	if l != nil {
		share = 100 * l.Share
	}
	return []Metric{{Name: "least_host_percent", Title: "what the least host sends, of the mean", Unit: "%", Value: share, Basis: Basis{Windowed: true}}}
}
