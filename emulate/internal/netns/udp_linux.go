package netns

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
)

// Unread returns how many UDP datagrams each host's kernel has dropped after they
// reached a socket. Mostly the socket's buffer was full, because its program did
// not read in time. Datagrams that a kernel coalesced count as one.
func (h *Hosts) Unread() ([]uint64, error) {
	counts := make([]uint64, len(h.list))
	err := onThread(func() error {
		for i := range h.list {
			if err := h.join(i); err != nil {
				return err
			}
			n, err := dropsOfUDP()
			if err != nil {
				return fmt.Errorf("ask host %s what its sockets had no room for: %w", h.names[i], err)
			}
			counts[i] = n
		}
		return nil
	})
	return counts, err
}

// dropsOfUDP returns how many datagrams the sockets of the thread's network namespace have dropped.
func dropsOfUDP() (uint64, error) {
	four, err := os.ReadFile("/proc/thread-self/net/snmp")
	if err != nil {
		return 0, err
	}
	n, err := inErrors4(four)
	if err != nil {
		return 0, err
	}
	six, err := os.ReadFile("/proc/thread-self/net/snmp6")
	if errors.Is(err, fs.ErrNotExist) { // the kernel has no IPv6
		return n, nil
	}
	if err != nil {
		return 0, err
	}
	more, err := inErrors6(six)
	return n + more, err
}

// inErrors4 reads Udp InErrors from /proc/net/snmp, which has a line of names and
// then a line of values. It includes everything counted as RcvbufErrors.
func inErrors4(text []byte) (uint64, error) {
	var names [][]byte
	for line := range bytes.Lines(text) {
		fields := bytes.Fields(line)
		if len(fields) == 0 || string(fields[0]) != "Udp:" {
			continue
		}
		if names == nil {
			names = fields
			continue
		}
		at := slices.IndexFunc(names, func(name []byte) bool { return string(name) == "InErrors" })
		if at < 0 || at >= len(fields) {
			break
		}
		return strconv.ParseUint(string(fields[at]), 10, 64)
	}
	return 0, errors.New("the kernel does not count errors of UDP (/proc/net/snmp)")
}

// inErrors6 reads Udp6InErrors from /proc/net/snmp6, which has one line per value.
func inErrors6(text []byte) (uint64, error) {
	for line := range bytes.Lines(text) {
		if fields := bytes.Fields(line); len(fields) == 2 && string(fields[0]) == "Udp6InErrors" {
			return strconv.ParseUint(string(fields[1]), 10, 64)
		}
	}
	return 0, errors.New("the kernel does not count errors of UDP (/proc/net/snmp6)")
}
