package prometheus

import (
	"context"
	"fmt"
	"math"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"weft/wire"
)

// fixed is a source whose counts are those given.
type fixed wire.Stats

func (f fixed) Stats() wire.Stats { return wire.Stats(f) }

// numbered has another number in each field, and so many elements in slices and maps. It returns all numbers, too.
func numbered(t *testing.T) (f fixed, all map[float64]string) {
	all = map[float64]string{}
	var fill func(v reflect.Value, name string)
	fill = func(v reflect.Value, name string) {
		n := 1000 + len(all)
		switch {
		case v.Type() == reflect.TypeFor[time.Duration]():
			v.SetInt(int64(n) * int64(time.Millisecond))
		case v.Kind() == reflect.Uint64:
			v.SetUint(uint64(n))
		case v.Kind() == reflect.Slice:
			v.Set(reflect.MakeSlice(v.Type(), n, n))
		case v.Type() == reflect.TypeFor[map[netip.AddrPort]string]():
			m := map[netip.AddrPort]string{}
			for i := range n {
				m[netip.AddrPortFrom(netip.IPv6Loopback(), uint16(i))] = "lost"
			}
			v.Set(reflect.ValueOf(m))
		case v.Kind() == reflect.Struct:
			for i := range v.NumField() {
				fill(v.Field(i), name+"."+v.Type().Field(i).Name)
			}
			return
		case v.Kind() == reflect.Array:
			for i := range v.Len() {
				fill(v.Index(i), fmt.Sprintf("%s[%d]", name, i))
			}
			return
		case v.Kind() == reflect.String: // TestText has these
			return
		case v.Type() == reflect.TypeFor[*wire.RoundTrips](): // TestRoundTrips has these
			return
		default:
			t.Fatalf("%s is a %v; teach the collector", name, v.Type())
		}
		all[float64(n)] = name
	}
	fill(reflect.ValueOf(&f).Elem(), "wire.Stats")
	return f, all
}

// TestText compares what is exported, as Prometheus reads it, and has names and helps checked.
func TestText(t *testing.T) {
	var f fixed
	f.Bursts.ReceiveOff, f.Bursts.Sent, f.Bursts.SentDatagrams, f.Bursts.SentSizes = "too old", 10, 155, [6]uint64{0, 2, 5, 3}
	f.Malformed, f.Strange, f.Paced, f.Late, f.LateP50, f.LateP99 = 1, 2, 4, 3*time.Second, time.Millisecond, 2*time.Second
	c := New(f, prometheus.Labels{"endpoint": "front"})
	if err := testutil.CollectAndCompare(c, strings.NewReader(`
# HELP weft_wire_dropped_datagrams_total Datagrams that came and were not taken, by reason: malformed ones, those of who lacks the secret, copies, and those of sessions that nobody knows.
# TYPE weft_wire_dropped_datagrams_total counter
weft_wire_dropped_datagrams_total{endpoint="front",reason="malformed"} 1
weft_wire_dropped_datagrams_total{endpoint="front",reason="repeated"} 0
weft_wire_dropped_datagrams_total{endpoint="front",reason="strange"} 2
weft_wire_dropped_datagrams_total{endpoint="front",reason="unsealed"} 0
# HELP weft_wire_pacing_late_seconds How late datagrams left that had waited for the configured rate, since the endpoint was opened.
# TYPE weft_wire_pacing_late_seconds summary
weft_wire_pacing_late_seconds{endpoint="front",quantile="0.5"} 0.001
weft_wire_pacing_late_seconds{endpoint="front",quantile="0.99"} 2
weft_wire_pacing_late_seconds_sum{endpoint="front"} 3
weft_wire_pacing_late_seconds_count{endpoint="front"} 4
# HELP weft_wire_bursts_enabled Whether the kernel sends, or receives, many datagrams in one go: 1, or 0.
# TYPE weft_wire_bursts_enabled gauge
weft_wire_bursts_enabled{direction="receive",endpoint="front"} 0
weft_wire_bursts_enabled{direction="send",endpoint="front"} 1
# HELP weft_wire_sent_burst_datagrams How many datagrams a burst has that the kernel took in one go.
# TYPE weft_wire_sent_burst_datagrams histogram
weft_wire_sent_burst_datagrams_bucket{endpoint="front",le="3"} 0
weft_wire_sent_burst_datagrams_bucket{endpoint="front",le="7"} 2
weft_wire_sent_burst_datagrams_bucket{endpoint="front",le="15"} 7
weft_wire_sent_burst_datagrams_bucket{endpoint="front",le="31"} 10
weft_wire_sent_burst_datagrams_bucket{endpoint="front",le="63"} 10
weft_wire_sent_burst_datagrams_bucket{endpoint="front",le="64"} 10
weft_wire_sent_burst_datagrams_bucket{endpoint="front",le="+Inf"} 10
weft_wire_sent_burst_datagrams_sum{endpoint="front"} 155
weft_wire_sent_burst_datagrams_count{endpoint="front"} 10
`), "weft_wire_dropped_datagrams_total", "weft_wire_pacing_late_seconds", "weft_wire_bursts_enabled", "weft_wire_sent_burst_datagrams"); err != nil {
		t.Error(err)
	}
	problems, err := testutil.CollectAndLint(c)
	if err != nil || len(problems) > 0 {
		t.Errorf("%v, %v", problems, err)
	}
}

// TestAllFields: each field of wire.Stats is exported.
func TestAllFields(t *testing.T) {
	f, want := numbered(t)
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(New(f, nil))
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[float64]bool{}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			seen[m.GetCounter().GetValue()], seen[m.GetGauge().GetValue()] = true, true
			s, h, below := m.GetSummary(), m.GetHistogram(), uint64(0)
			seen[float64(s.GetSampleCount())], seen[math.Round(1000*s.GetSampleSum())] = true, true
			for _, q := range s.GetQuantile() {
				seen[math.Round(1000*q.GetValue())] = true
			}
			seen[float64(h.GetSampleCount())], seen[h.GetSampleSum()] = true, true
			for _, b := range h.GetBucket() {
				seen[float64(b.GetCumulativeCount()-below)] = true
				below = b.GetCumulativeCount()
			}
		}
	}
	for n, name := range want {
		if !seen[n] {
			t.Errorf("%s is not exported; add it to counters", name)
		}
	}
}

// TestEndpoint scrapes two endpoints that exchanged messages, in one registry.
func TestEndpoint(t *testing.T) {
	server, err := wire.Listen("127.0.0.1:0", wire.Config{Handler: func(ctx context.Context, m *wire.Message) { _ = m.Reply(ctx, m.Body) }})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close(t.Context())
	client, err := wire.Listen("127.0.0.1:0", wire.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close(t.Context())
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(New(server, prometheus.Labels{"endpoint": "server"}), New(client, prometheus.Labels{"endpoint": "client"}))
	p, err := client.Dial(t.Context(), server.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, err := p.Call(t.Context(), []byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	if err := testutil.GatherAndCompare(registry, strings.NewReader(`
# HELP weft_wire_delivered_messages_total Messages that came whole.
# TYPE weft_wire_delivered_messages_total counter
weft_wire_delivered_messages_total{endpoint="client"} 3
weft_wire_delivered_messages_total{endpoint="server"} 3
`), "weft_wire_delivered_messages_total"); err != nil {
		t.Error(err)
	}
}

// TestRoundTrips: round trips are exported of transports that measure them, and of no others.
func TestRoundTrips(t *testing.T) {
	for transport, want := range map[string]bool{"dctcp": true, "sird": false} {
		c := wire.Config{Transport: transport, Handler: func(ctx context.Context, m *wire.Message) { _ = m.Reply(ctx, m.Body) }}
		server, err := wire.Listen("127.0.0.1:0", c)
		if err != nil {
			t.Fatal(err)
		}
		defer server.Close(t.Context())
		client, err := wire.Listen("127.0.0.1:0", wire.Config{Transport: transport})
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close(t.Context())
		p, err := client.Dial(t.Context(), server.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Call(t.Context(), make([]byte, 100_000)); err != nil {
			t.Fatal(err)
		}
		registry := prometheus.NewPedanticRegistry()
		registry.MustRegister(New(client, nil))
		families, err := registry.Gather()
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, f := range families {
			if f.GetName() == "weft_wire_round_trip_seconds" {
				s := f.GetMetric()[0].GetSummary()
				found = s.GetSampleCount() > 0 && s.GetSampleSum() > 0 && s.GetQuantile()[0].GetValue() > 0
			}
		}
		if found != want {
			t.Errorf("%s: round trips are exported: %v", transport, found)
		}
	}
}
