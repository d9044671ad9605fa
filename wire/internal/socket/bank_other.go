//go:build !linux

package socket

import "net"

func newSockets(conns []*net.UDPConn, s setup) (sockets, Offload, error) { return newPlain(conns, s) }
