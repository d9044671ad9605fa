//go:build !linux

package socket

import "net"

func newSockets(conns []*net.UDPConn, s setup) (sockets, error) { return newPlain(conns, s) }
