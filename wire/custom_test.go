package wire_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"weft/protocol"
	"weft/protocol/entropy"
	"weft/protocol/sird"
	"weft/wire"
)

// custom returns SIRD with another bound of credit.
func custom(t *testing.T, name string) *wire.Custom {
	t.Helper()
	entry := sird.Entries()[0]
	o, err := entry.Defaults()
	if err != nil {
		t.Fatal(err)
	}
	if err := o.(*sird.Options).B.UnmarshalText([]byte("3BDP")); err != nil {
		t.Fatal(err)
	}
	control, err := entry.Build(o)
	if err != nil {
		t.Fatal(err)
	}
	var ops protocol.Balancer
	for _, e := range entropy.Entries() {
		if e.Name == "ops" {
			if ops, err = e.BuildDefault(); err != nil {
				t.Fatal(err)
			}
		}
	}
	return &wire.Custom{Name: name, Control: control, Balancer: ops}
}

// TestCustom: endpoints with the same transport of their own exchange messages, and others do not find them.
func TestCustom(t *testing.T) {
	came := make(chan int, 1)
	server, err := wire.Listen("127.0.0.1:0", wire.Config{
		Custom:  custom(t, "sird b=3"),
		Handler: func(_ context.Context, m *wire.Message) { came <- len(m.Body) },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close(context.Background())
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for name, want := range map[string]error{"sird b=3": nil, "sird b=1": wire.ErrMismatch} {
		client, err := wire.Listen("127.0.0.1:0", wire.Config{Custom: custom(t, name)})
		if err != nil {
			t.Fatal(err)
		}
		p, err := client.Dial(ctx, server.Addr().String())
		if !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", name, err, want)
		}
		if want == nil {
			if err := p.Send(ctx, make([]byte, 100_000)); err != nil {
				t.Error(err)
			}
			if n := <-came; n != 100_000 {
				t.Errorf("%d B came", n)
			}
		}
		client.Close(context.Background())
	}
	if _, err := wire.Listen("127.0.0.1:0", wire.Config{Custom: custom(t, "sird"), Transport: "dctcp"}); err == nil {
		t.Error("two transports are taken")
	}
	if _, err := wire.Listen("127.0.0.1:0", wire.Config{Custom: &wire.Custom{Name: "none"}}); err == nil {
		t.Error("a transport of nothing is taken")
	}
}

// TestSizes: they are those that scenarios/sird/incast-eight.yaml has.
func TestSizes(t *testing.T) {
	payload, header, err := wire.Config{}.Sizes()
	if err != nil || payload != 1382 || header != 156 {
		t.Errorf("%v and %v, %v", payload, header, err)
	}
	if _, _, err := (wire.Config{Datagram: 70_000}).Sizes(); err == nil {
		t.Error("datagrams of 70 kB are taken")
	}
}
