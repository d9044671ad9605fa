package wire

import (
	"fmt"

	"weft/wire/internal/pcapng"
	"weft/wire/internal/socket"
)

// capture starts writing the endpoint's datagrams if Config.Capture is set. It must be called
// before any are sent or received.
func (e *Endpoint) capture() {
	if e.cfg.Capture == nil {
		return
	}
	e.pcap = pcapng.New(e.cfg.Capture, pcapng.Interface{Name: "weft " + e.Addr().String(), Description: "endpoint " + e.ID().String()})
	e.bank.Tap(func(p socket.Passed) { e.pcap.Write(pcapng.Datagram(p)) })
}

// captured returns the error that ended the capture early, or nil.
func (e *Endpoint) captured() error {
	if e.pcap == nil || e.pcap.Err() == nil {
		return nil
	}
	return fmt.Errorf("wire: capture: %w", e.pcap.Err())
}
