package wire

import (
	"fmt"

	"weft/wire/internal/pcapng"
	"weft/wire/internal/socket"
)

// capture has the datagrams of the endpoint written, if it is configured so. It comes before they are sent and received.
func (e *Endpoint) capture() {
	if e.cfg.Capture == nil {
		return
	}
	e.pcap = pcapng.New(e.cfg.Capture, pcapng.Interface{Name: "weft " + e.Addr().String(), Description: "endpoint " + e.ID().String()})
	e.bank.Tap(func(p socket.Passed) { e.pcap.Write(pcapng.Datagram(p)) })
}

// captured returns why the capture ended early, nil if it did not.
func (e *Endpoint) captured() error {
	if e.pcap == nil || e.pcap.Err() == nil {
		return nil
	}
	return fmt.Errorf("wire: capture: %w", e.pcap.Err())
}
