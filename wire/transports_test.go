package wire_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"weft/wire"
)

// TestTransports exchanges messages over each kind of transport and of balancer, and replays what the sender's was told.
func TestTransports(t *testing.T) {
	for _, of := range [][2]string{{"sird", "arcane"}, {"dctcp", ""}, {"nscc", "arcane"}, {"swift", "ecmp"}, {"dart", "ops"}, {"mprdma", "mprdma"}, {"timely", "reps"}} {
		t.Run(of[0]+" "+of[1], func(t *testing.T) {
			var record bytes.Buffer
			c := wire.Config{Transport: of[0], Balancer: of[1], Secret: []byte("what both know")}
			server := echo(t, c)
			c.Record = &record
			client := open(t, c)
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			p, err := client.Dial(ctx, server.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			for _, n := range []int{0, 1, 2000, 1_000_000} {
				body := bytes.Repeat([]byte{byte(n + 1)}, n)
				if reply, err := p.Call(ctx, body); err != nil || !bytes.Equal(reply, body) {
					t.Errorf("%d B: %d came back, %v", n, len(reply), err)
				}
			}
			counts(t, of[0], client.Stats())
			if err := client.Close(ctx); err != nil {
				t.Fatal(err)
			}
			if calls, err := wire.Replay(&record); err != nil || calls < 500 {
				t.Errorf("the replay of %d calls: %v", calls, err)
			}
		})
	}
}

// counts checks what an endpoint counted that got a megabyte.
func counts(t *testing.T, name string, s wire.Stats) {
	t.Helper()
	if s.Packets < 700 || s.Packets > s.Received || s.PacketsMarked > s.Marked || s.Timeouts > s.Lost || (s.Copies == 0) != (s.Spare == 0) {
		t.Errorf("%+v", s)
	}
	r := s.RTTs
	if name == "sird" {
		if r != nil || r.Count() != 0 || r.PerMille(500) != 0 || r.Sum() != 0 {
			t.Errorf("SIRD measured %d round trips", r.Count())
		}
		return
	}
	if n := r.Count(); n < 10 || r.PerMille(500) <= 0 || r.PerMille(1000) < r.PerMille(500) || r.Sum() < time.Duration(n)*r.PerMille(1) {
		t.Errorf("%d round trips of %v at the median, %v in all", n, r.PerMille(500), r.Sum())
	}
	if since := r.Since(r); since.Count() != 0 {
		t.Errorf("%d round trips since the same time", since.Count())
	}
	if r.Add(r.Since(nil)); r.Count() == 0 {
		t.Error("none are left")
	}
}

// TestMismatch has endpoints refuse each other whose transports or balancers are not the same.
func TestMismatch(t *testing.T) {
	server := echo(t, wire.Config{Transport: "dctcp"})
	for _, c := range []wire.Config{{}, {Transport: "nscc"}, {Transport: "dctcp", Balancer: "arcane"}} {
		if _, err := open(t, c).Dial(t.Context(), server.Addr().String()); !errors.Is(err, wire.ErrMismatch) {
			t.Errorf("%s with %s dials dctcp with ops: %v", c.Transport, c.Balancer, err)
		}
	}
}

// TestNoTransport has the errors of names tell what is wrong, and what there is.
func TestNoTransport(t *testing.T) {
	for _, of := range []struct{ transport, balancer, want, lists string }{
		{"quic", "", `Transport is "quic", but there is none of this name`, "nscc, "},
		{"hpcc", "", `Transport is "hpcc", but it needs switches that stamp packets`, "nscc, "},
		{"rcp", "", "it takes rates or notices from switches", "swift"},
		{"eqds", "", "it needs switches that trim packets", "sird"},
		{"", "letflow", `Balancer is "letflow", but it leaves the choice of paths to switches`, "arcane, "},
		{"sird", "mprdma", "it needs acknowledgements that clock packets out", "ops"},
	} {
		_, err := wire.Listen("127.0.0.1:0", wire.Config{Transport: of.transport, Balancer: of.balancer})
		if err == nil || !strings.Contains(err.Error(), of.want) || !strings.Contains(err.Error(), of.lists) {
			t.Errorf("%s with %s: %v", of.transport, of.balancer, err)
		}
	}
}
