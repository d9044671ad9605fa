package pcapng

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"math/bits"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"
)

var (
	four = [2]netip.AddrPort{netip.MustParseAddrPort("192.0.2.1:4000"), netip.MustParseAddrPort("198.51.100.7:50123")}
	six  = [2]netip.AddrPort{netip.MustParseAddrPort("[2001:db8::1]:4000"), netip.MustParseAddrPort("[fe80::7%eth0]:50123")}
)

// sample has datagrams of both families and directions, of lengths with and without a rest.
func sample() (list []Datagram) {
	for i, size := range []int{0, 1, 2, 7, 8, 15, 94, 1452, 65_000} {
		data := bytes.Repeat([]byte{0xff, byte(i), 3}, size/3+1)[:size]
		list = append(list,
			Datagram{From: four[0], To: four[1], Sent: true, ECN: 2, Data: data},
			Datagram{From: four[1], To: four[0], ECN: 3, Data: data},
			Datagram{From: six[0], To: six[1], Sent: true, Data: data},
			Datagram{From: six[1], To: six[0], ECN: 1, Data: data})
	}
	return list
}

// ticking is a clock that moves on by a nanosecond each time.
func ticking() func() time.Time {
	at := time.Unix(1_800_000_000, 123_456_788)
	return func() time.Time {
		at = at.Add(1)
		return at
	}
}

func written(list []Datagram) []byte {
	var b bytes.Buffer
	w := begin(&b, Interface{"weft", "an endpoint"}, ticking())
	for _, d := range list {
		w.Write(d)
	}
	return b.Bytes()
}

// TestBytes compares the blocks with what the format says, byte by byte.
func TestBytes(t *testing.T) {
	at := uint64(ticking()().UnixNano())
	got := hex.EncodeToString(written([]Datagram{{From: four[0], To: four[1], Sent: true, ECN: 2, Data: []byte("abc")}}))
	want := strings.Join(strings.Fields(`
		0a0d0d0a 28000000 4d3c2b1a 0100 0000 ffffffffffffffff 0400 0400 77656674 0000 0000 28000000
		01000000 38000000 6500 0000 00000000 0200 0400 77656674 0300 0b00 616e20656e64706f696e74 00 0900 0100 09 000000 0000 0000 38000000
		06000000 4c000000 00000000 HIGH LOW 1f000000 1f000000
		4502001f 00004000 4011 4e90 c0000201 c6336407 0fa0 c3cb 000b 7bcd 616263 00
		0200 0400 02000000 0000 0000 4c000000`), "")
	want = strings.Replace(want, "HIGHLOW", fmt.Sprintf("%08x%08x", bits.ReverseBytes32(uint32(at>>32)), bits.ReverseBytes32(uint32(at))), 1)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestReading has another reader decode what was written, checksums included.
func TestReading(t *testing.T) {
	list := sample()
	r, err := pcapgo.NewNgReader(bytes.NewReader(written(list)), pcapgo.DefaultNgReaderOptions)
	if err != nil {
		t.Fatal(err)
	}
	clock := ticking()
	for i, d := range list {
		data, about, options, err := r.ReadPacketDataWithOptions()
		if err != nil {
			t.Fatalf("datagram %d: %v", i, err)
		}
		if want := clock(); !about.Timestamp.Equal(want) {
			t.Errorf("datagram %d is of %v, not of %v", i, about.Timestamp, want)
		}
		if sent := options.Flags.Direction == pcapgo.NgEpbFlagDirectionOutbound; sent != d.Sent {
			t.Errorf("datagram %d has direction %v", i, options.Flags.Direction)
		}
		got := decode(t, data)
		got.Sent = d.Sent
		if diff := cmp.Diff(d, got, cmp.Comparer(same)); diff != "" {
			t.Errorf("datagram %d:\n%s", i, diff)
		}
	}
	of, err := r.Interface(0)
	if err != nil || of.Name != "weft" || of.Description != "an endpoint" || r.LinkType() != layers.LinkTypeRaw || r.SectionInfo().Application != "weft" {
		t.Errorf("the interface is %+v of %+v, %v", of, r.SectionInfo(), err)
	}
}

// same compares addresses without zones, which do not travel.
func same(a, b netip.AddrPort) bool {
	return a.Port() == b.Port() && a.Addr().WithZone("") == b.Addr().WithZone("")
}

// decode reads heads, and fails if a checksum or a length is wrong.
func decode(t *testing.T, data []byte) (d Datagram) {
	t.Helper()
	first := gopacket.Decoder(layers.LayerTypeIPv4)
	if data[0]>>4 == 6 {
		first = layers.LayerTypeIPv6
	}
	p := gopacket.NewPacket(data, first, gopacket.Default)
	if err := p.ErrorLayer(); err != nil {
		t.Fatal(err.Error())
	}
	u := p.Layer(layers.LayerTypeUDP).(*layers.UDP)
	if err := u.SetNetworkLayerForChecksum(p.NetworkLayer()); err != nil {
		t.Fatal(err)
	}
	if wrong, bad := p.VerifyChecksums(); wrong != nil || len(bad) > 0 {
		t.Errorf("checksums: %v, %v", wrong, bad)
	}
	src, dst := p.NetworkLayer().NetworkFlow().Endpoints()
	from, _ := netip.AddrFromSlice(src.Raw())
	to, _ := netip.AddrFromSlice(dst.Raw())
	d.From, d.To = netip.AddrPortFrom(from, uint16(u.SrcPort)), netip.AddrPortFrom(to, uint16(u.DstPort))
	d.Data = append([]byte{}, u.Payload...)
	switch ip := p.NetworkLayer().(type) {
	case *layers.IPv4:
		d.ECN = ip.TOS
	case *layers.IPv6:
		d.ECN = ip.TrafficClass
	}
	return d
}

// TestTshark has tshark read what was written, if it is installed.
func TestTshark(t *testing.T) {
	tshark, err := exec.LookPath("tshark")
	if err != nil {
		t.Skip("tshark is not installed; apt install tshark")
	}
	list := sample()
	file := filepath.Join(t.TempDir(), "capture.pcapng")
	if err := os.WriteFile(file, written(list), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(tshark, "-n", "-r", file, "-o", "ip.check_checksum:TRUE", "-o", "udp.check_checksum:TRUE", "-T", "fields", "-E", "separator=,",
		"-e", "frame.interface_name", "-e", "frame.packet_flags_direction", "-e", "ip.src", "-e", "ipv6.src", "-e", "udp.srcport", "-e", "ip.dst", "-e", "ipv6.dst",
		"-e", "udp.dstport", "-e", "ip.dsfield.ecn", "-e", "ipv6.tclass.ecn", "-e", "udp.length", "-e", "ip.checksum.status", "-e", "udp.checksum.status",
		"-e", "frame.time_epoch").Output()
	if err != nil {
		t.Fatal(err)
	}
	clock := ticking()
	var want []string
	for _, d := range list {
		direction, at := 1, clock()
		if d.Sent {
			direction = 2
		}
		address := func(a netip.AddrPort) (string, string) {
			if a.Addr().Is4() {
				return a.Addr().String(), ""
			}
			return "", a.Addr().WithZone("").String()
		}
		from4, from6 := address(d.From)
		to4, to6 := address(d.To)
		ecn4, ecn6, good := fmt.Sprint(d.ECN), "", "1"
		if d.From.Addr().Is6() {
			ecn4, ecn6, good = "", ecn4, ""
		}
		want = append(want, fmt.Sprintf("weft,0x%08x,%s,%s,%d,%s,%s,%d,%s,%s,%d,%s,1,%d.%09d", direction, from4, from6, d.From.Port(), to4, to6, d.To.Port(), ecn4, ecn6,
			8+len(d.Data), good, at.Unix(), at.Nanosecond()))
	}
	if diff := cmp.Diff(want, strings.Split(strings.TrimSpace(string(out)), "\n")); diff != "" {
		t.Error(diff)
	}
}

// failing takes so many writes.
type failing struct{ left int }

var errFull = errors.New("the disk is full")

func (f *failing) Write(b []byte) (int, error) {
	if f.left--; f.left < 0 {
		return 0, errFull
	}
	return len(b), nil
}

// TestFailure: after an error nothing more is written, and the error stays.
func TestFailure(t *testing.T) {
	for _, writes := range []int{0, 1, 2} {
		f := &failing{left: writes}
		w := New(f, Interface{})
		for _, d := range sample() {
			w.Write(d)
		}
		if f.left != -1 || !errors.Is(w.Err(), errFull) {
			t.Errorf("after %d writes: %v, and %d more", writes, w.Err(), -1-f.left)
		}
	}
}

// TestAllocations: a datagram allocates nothing.
func TestAllocations(t *testing.T) {
	w := New(&failing{left: 1 << 40}, Interface{})
	d := Datagram{From: four[0], To: six[1], Data: make([]byte, 1452)}
	w.Write(d)
	if n := testing.AllocsPerRun(100, func() { w.Write(d) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
