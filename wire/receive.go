package wire

import (
	"errors"
	"net"
	"time"

	"weft/wire/internal/socket"
)

// receive passes arriving datagrams to the carrier.
func (e *Endpoint) receive() {
	defer e.done.Done()
	const batch, size = 32, 1 << 16
	buffer := make([]byte, batch*size)
	list := make([]socket.Datagram, batch)
	for {
		for i := range list {
			list[i].Data = buffer[i*size : i*size : (i+1)*size]
		}
		n, err := e.bank.Receive(list)
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil && n == 0 { // the error may persist
			time.Sleep(time.Millisecond)
			continue
		}
		e.mu.Lock()
		e.arrive(list[:n])
		e.mu.Unlock()
	}
}

// arrive handles a batch of datagrams.
func (e *Endpoint) arrive(list []socket.Datagram) {
	now, all := e.now(), 0
	for i := range list {
		d := &list[i]
		for one := range d.Each {
			e.carrier.Arrive(now, d.From, one, d.Marked)
			e.handleEvents()
			all++
		}
	}
	e.react(now, all)
}
