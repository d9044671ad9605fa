package netns

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"weft/unit"
)

func TestOptions(t *testing.T) {
	for _, c := range []struct {
		o    Options
		want string
	}{
		{Options{Names: []string{"a", "b.c-d_E9"}}, ""},
		{Options{Names: []string{"a", "b"}, Rates: []unit.Rate{unit.Gbps, 0}}, ""},
		{Options{Names: []string{"a", "b"}, Rates: []unit.Rate{unit.Gbps}}, "1 rates for 2 hosts"},
		{Options{MTU: 67}, "MTU"},
		{Options{MTU: 65536}, "MTU"},
		{Options{Names: []string{"a", "b", "a"}}, "hosts 0 and 2 are both named a"},
		{Options{Names: []string{"a b"}}, "no name"},
		{Options{Names: []string{""}}, "no name"},
		{Options{Names: []string{"localhost"}}, "no name"},
		{Options{Names: []string{strings.Repeat("x", 65)}}, "no name"},
	} {
		err := c.o.check()
		if got := fmt.Sprint(err); c.want == "" && err != nil || !strings.Contains(got, c.want) {
			t.Errorf("%v: %v", c.o, err)
		}
	}
}

func TestMissing(t *testing.T) {
	cause := errors.New("no")
	err := fmt.Errorf("x: %w", &missingError{Kind: "user namespaces", Found: "found", Remedy: "do", Err: cause})
	if !errors.Is(err, errUnavailable) || !errors.Is(err, cause) || err.Error() != "x: user namespaces are not available: found; do" {
		t.Error(err)
	}
}

func TestAddresses(t *testing.T) {
	for _, c := range []struct {
		host      int
		four, six string
	}{{0, "10.0.0.1", "fd00::1"}, {254, "10.0.0.255", "fd00::ff"}, {65535, "10.1.0.0", "fd00::1:0"}, {most - 1, "10.255.255.253", "fd00::ff:fffd"}} {
		if Addr(c.host).String() != c.four || Addr6(c.host).String() != c.six {
			t.Errorf("host %d has %s and %s", c.host, Addr(c.host), Addr6(c.host))
		}
		for _, text := range []string{c.four, c.six, "::ffff:" + c.four} {
			if got, ok := HostOf(netip.MustParseAddr(text)); !ok || got != c.host {
				t.Errorf("%s is of host %d, %v", text, got, ok)
			}
		}
	}
	for _, text := range []string{"10.0.0.0", "11.0.0.1", "fd00::", "fd00:0:0:1::1", "fe80::1", "fd00::100:1", "::1"} {
		if got, ok := HostOf(netip.MustParseAddr(text)); ok {
			t.Errorf("%s is of host %d", text, got)
		}
	}
}
