package wire_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"

	"weft/wire"
)

// captured is a datagram of a capture.
type captured struct {
	sent bool
	flow string
	ecn  uint8
	data string
}

// read returns what a capture of IPv4 has.
func read(t *testing.T, file []byte) (list []captured) {
	t.Helper()
	r, err := pcapgo.NewNgReader(bytes.NewReader(file), pcapgo.DefaultNgReaderOptions)
	if err != nil {
		t.Fatal(err)
	}
	last := time.Time{}
	for {
		data, about, options, err := r.ReadPacketDataWithOptions()
		if errors.Is(err, io.EOF) {
			return list
		}
		if err != nil {
			t.Fatal(err)
		}
		if about.Timestamp.Before(last) {
			t.Errorf("datagram %d is of %v, after one of %v", len(list), about.Timestamp, last)
		}
		last = about.Timestamp
		p := gopacket.NewPacket(data, layers.LayerTypeIPv4, gopacket.Default)
		ip, u := p.Layer(layers.LayerTypeIPv4).(*layers.IPv4), p.Layer(layers.LayerTypeUDP).(*layers.UDP)
		list = append(list, captured{
			sent: options.Flags.Direction == pcapgo.NgEpbFlagDirectionOutbound, flow: fmt.Sprintf("%v:%d to %v:%d", ip.SrcIP, u.SrcPort, ip.DstIP, u.DstPort),
			ecn: ip.TOS & 3, data: string(u.Payload),
		})
	}
}

// TestCapture compares the captures of both ends: what one sent is what the other received, plain and sealed.
func TestCapture(t *testing.T) {
	for _, secret := range []string{"", "what both know"} {
		t.Run("secret "+secret, func(t *testing.T) {
			var files [2]bytes.Buffer
			server := echo(t, wire.Config{Secret: []byte(secret), Capture: &files[0]})
			client := open(t, wire.Config{Secret: []byte(secret), Capture: &files[1]})
			p, err := client.Dial(t.Context(), server.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			for _, n := range []int{0, 10, 50_000} {
				if _, err := p.Call(t.Context(), bytes.Repeat([]byte("secret?"), n/7)); err != nil {
					t.Fatal(err)
				}
			}
			stats := [2]wire.Stats{}
			for i, e := range []*wire.Endpoint{server, client} {
				if err := e.Close(t.Context()); err != nil {
					t.Fatal(err)
				}
				stats[i] = e.Stats()
			}
			var seen [2]map[captured]int
			for i := range files {
				seen[i] = map[captured]int{}
				sent, received := uint64(0), uint64(0)
				for _, c := range read(t, files[i].Bytes()) {
					seen[i][c]++
					if c.sent {
						sent++
					} else {
						received++
					}
				}
				if s := stats[i]; sent != s.Sent-s.Busy || received != s.Received || sent < 30 || received < 30 {
					t.Errorf("%d were captured that left, %d that came, of %+v", sent, received, s)
				}
			}
			for i := range seen {
				for c, n := range seen[i] {
					other := c
					other.sent = !c.sent
					// What the other side sent last may not have come before this one closed.
					if m := seen[1-i][other]; m != n && !(c.sent && m < n) {
						t.Errorf("endpoint %d has %d times %v, the other %d times", i, n, c.flow, m)
					}
					if plain := bytes.Contains([]byte(c.data), []byte("secret?secret?")); plain && secret != "" {
						t.Errorf("a sealed datagram was captured unsealed")
					}
				}
			}
		})
	}
}

type full struct{ left int }

var errFull = errors.New("the disk is full")

func (f *full) Write(b []byte) (int, error) {
	if f.left--; f.left < 0 {
		return 0, errFull
	}
	return len(b), nil
}

// TestCaptureFails: an endpoint goes on when its capture cannot, and says so at its end.
func TestCaptureFails(t *testing.T) {
	server := echo(t, wire.Config{})
	client, err := wire.Listen("127.0.0.1:0", wire.Config{Capture: &full{left: 10}})
	if err != nil {
		t.Fatal(err)
	}
	p, err := client.Dial(t.Context(), server.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		if _, err := p.Call(t.Context(), []byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	if err := client.Close(context.Background()); !errors.Is(err, errFull) {
		t.Errorf("it closes with %v", err)
	}
}
