package record

import (
	"math"

	"weft/unit"
)

// LeastHost tells how much less than the mean the host sends that sends least, within the measured window. A host counts if it had
// at least as much to send as the mean host sent, so that one that had little is not taken for one that was kept from sending.
type LeastHost struct {
	// Share is what the host sent over what the mean host sent, in payload, each byte once.
	Share float64 `json:"share"`
	Host  string  `json:"host"`
	// Senders is how many hosts had anything to send, over which the mean is, and Hosts how many of them count.
	Senders int64 `json:"senders"`
	Hosts   int64 `json:"hosts"`
}

// HostLoad is what a host had to send in a window, the rest of before included, and what it sent.
type HostLoad struct{ Had, Sent unit.Bytes }

// LeastOf finds the least host by its number, and calls it by name. It returns nil if nothing was sent.
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

// metrics returns a number that does not exist if l is nil.
func (l *LeastHost) metrics() []Metric {
	share := math.NaN()
	if l != nil {
		share = 100 * l.Share
	}
	return []Metric{{Name: "least_host_percent", Title: "what the least host sends, of the mean", Unit: "%", Value: share, Basis: Basis{Windowed: true}}}
}
