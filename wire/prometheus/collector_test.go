package prometheus

import (
	"context"
	"math"
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

// numbered has another number in each field.
func numbered(t *testing.T) (f fixed) {
	v := reflect.ValueOf(&f).Elem()
	for i := range v.NumField() {
		switch field := v.Field(i); field.Type() {
		case reflect.TypeFor[uint64]():
			field.SetUint(uint64(1000 + i))
		case reflect.TypeFor[time.Duration]():
			field.SetInt(int64(1000+i) * int64(time.Millisecond))
		default:
			t.Fatalf("wire.Stats.%s is a %v; teach the collector", v.Type().Field(i).Name, field.Type())
		}
	}
	return f
}

// TestText compares what is exported, as Prometheus reads it, and has names and helps checked.
func TestText(t *testing.T) {
	var f fixed
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
`), "weft_wire_dropped_datagrams_total", "weft_wire_pacing_late_seconds"); err != nil {
		t.Error(err)
	}
	problems, err := testutil.CollectAndLint(c)
	if err != nil || len(problems) > 0 {
		t.Errorf("%v, %v", problems, err)
	}
}

// TestAllFields: each field of wire.Stats is exported.
func TestAllFields(t *testing.T) {
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(New(numbered(t), nil))
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[float64]bool{}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			if c := m.GetCounter(); c != nil {
				seen[c.GetValue()] = true
				continue
			}
			s := m.GetSummary()
			seen[float64(s.GetSampleCount())] = true
			seen[math.Round(1000*s.GetSampleSum())] = true
			for _, q := range s.GetQuantile() {
				seen[math.Round(1000*q.GetValue())] = true
			}
		}
	}
	of := reflect.TypeFor[wire.Stats]()
	for i := range of.NumField() {
		if !seen[float64(1000+i)] {
			t.Errorf("wire.Stats.%s is not exported; add it to counters", of.Field(i).Name)
		}
	}
	if len(seen) != of.NumField() {
		t.Errorf("%d numbers are exported, and wire.Stats has %d", len(seen), of.NumField())
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
