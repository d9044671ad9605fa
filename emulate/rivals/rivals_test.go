//go:build linux

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"weft/emulate/internal/netns"
	"weft/unit"
)

// TestMain is the program as well, for what starts itself.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && slices.ContainsFunc(programs(), func(p program) bool { return p.name == os.Args[1] }) {
		main()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// together runs programs of hosts at once over the loopback, and reads what each printed. Results are by program.
func together(t *testing.T, listen string, programs ...[]string) map[string][]byte {
	t.Helper()
	type result struct {
		name string
		out  bytes.Buffer
		err  error
	}
	done := make(chan *result)
	for _, args := range programs {
		address := "--to"
		if args[0] == "server" {
			address = "--listen"
		}
		go func() {
			r := &result{name: args[0]}
			r.err = run(t.Context(), append(args, address, listen, "--warm", "100ms", "--for", "1200ms"), &r.out)
			done <- r
		}()
	}
	all := map[string][]byte{}
	for range programs {
		r := <-done
		if r.err != nil {
			t.Errorf("%s: %v", r.name, r.err)
		}
		all[r.name] = r.out.Bytes()
	}
	return all
}

func read[T any](t *testing.T, text []byte) (v T) {
	t.Helper()
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return v
}

// TestTransfers: flows of both kinds move bytes, which the server counts.
func TestTransfers(t *testing.T) {
	for i, more := range [][]string{{"--congestion", "cubic"}, {"--fresh"}, {"--transport", "quic", "--ecn", "on"}} {
		server := []string{"server"}
		if more[0] != "--fresh" {
			server = append(server, more...)
		}
		all := together(t, fmt.Sprintf("127.0.0.1:%d", 17101+i), server, append([]string{"bulk", "--flows", "2", "--size", "100kB"}, more...))
		s, b := read[served](t, all["server"]), read[transfers](t, all["bulk"])
		if len(b.Millis) == 0 || b.Millis[0] <= 0 || b.MinRTT <= 0 {
			t.Errorf("%q: transfers %+v", more, b)
		}
		if s.Bytes < 100_000 || s.Mbps <= 0 || s.Median <= 0 || len(s.Slots) != 2 {
			t.Errorf("%q: served %+v", more, s)
		}
	}
}

// TestIncastPrograms: a sender sends at its rate, and a client has replies meanwhile.
func TestIncastPrograms(t *testing.T) {
	for i, transport := range []string{"tcp", "quic"} {
		more := []string{"--transport", transport}
		all := together(t, fmt.Sprintf("127.0.0.1:%d", 17111+i), append([]string{"server"}, more...),
			append([]string{"sender", "--size", "100kB", "--rate", "8Mbps"}, more...), append([]string{"client", "--size", "20kB", "--every", "50ms"}, more...))
		s, o, c := read[served](t, all["server"]), read[offered](t, all["sender"]), read[replies](t, all["client"])
		if o.Due != 12 && o.Due != 13 || o.Done == 0 || o.Done > o.Due || o.P50 <= 0 || o.Broken != "" {
			t.Errorf("%s: sender %+v", transport, o)
		}
		if len(c.Micros) == 0 || len(c.Micros)+c.Skipped > 24 || c.P50 <= 0 || c.P99 < c.P90 || c.P90 < c.P50 {
			t.Errorf("%s: client %+v", transport, c)
		}
		if s.Mbps <= 0 {
			t.Errorf("%s: server %+v", transport, s)
		}
	}
}

// TestArguments: what cannot be done is named.
func TestArguments(t *testing.T) {
	for _, c := range []struct{ args, says string }{
		{"", "bucket: kernel TCP over the emulator"},
		{"server --transport udp", "it may be tcp or quic"},
		{"server --ecn maybe", "on or off"},
		{"server --for 1s --warm 2s", "something must remain"},
		{"server more", `no argument, but got "more"`},
		{"server --congestion none --listen 127.0.0.1:0", "tcp_available_congestion_control"},
		{"bulk --flows 0", "--flows is 0"},
		{"client --size 4B", "--size is 4B"},
		{"sender --rate slow", "--rate"},
		{"sender --size 10", "no unit"},
		{"bucket --sets five", `no set "five"`},
		{"bucket --rounds 0", "--rounds is 0"},
		{"bucket --sides left", `no side "left"`},
		{"incast --transport udp", "it may be tcp or quic"},
		{"incast --weft ./none", "build it with"},
		{"chain --server [] --clients [[]] --senders 2", "1 lists for 2 senders"},
	} {
		if err := run(t.Context(), strings.Fields(c.args), new(bytes.Buffer)); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%q: %v", c.args, err)
		}
	}
}

func TestQuantiles(t *testing.T) {
	hundred := make([]float64, 100)
	for i := range hundred {
		hundred[i] = float64(100 - i)
	}
	if q := quantiles(hundred, 0, 0.5, 0.99, 1); !slices.Equal(q, []float64{1, 50, 99, 100}) {
		t.Error(q)
	}
	if q := quantiles(nil, 0.5); q[0] != 0 {
		t.Error(q)
	}
}

// TestCompare: rounds are pooled, a difference of more than 5 % is seen, and so is a void round.
func TestCompare(t *testing.T) {
	side := func(rate, took float64, void ...bool) measured {
		var list []measured
		for _, v := range void {
			list = append(list, measured{Set: "one", slots: []float64{rate, rate}, millis: []float64{took}, megabytes: 4, drops: 2, Late: &late{P99: rate, Void: v}})
		}
		return pooled(list)
	}
	emulator, bucket := side(104, 10, false, true), side(100, 10, false)
	if emulator.PerMB != 0.5 || emulator.Transfers != 2 || emulator.Rounds != 2 {
		t.Errorf("%+v", emulator)
	}
	if c := compare(side(104, 10, false), bucket); !c.Within || c.Void || c.Mean != 1.04 || c.P99 != 1 {
		t.Errorf("%+v", c)
	}
	for _, far := range []measured{side(106, 10, false), side(94, 10, false), side(100, 11, false)} {
		if c := compare(far, bucket); c.Within {
			t.Errorf("%+v", c)
		}
	}
}

// TestBuckets: a bucket has the rate of full packets on the wire.
func TestBuckets(t *testing.T) {
	perSecond := float64(bucketRate(100*unit.Mbps)) / kernelFrame
	if want := 100e6 / 8 / wireFrame; perSecond < want*0.9999 || perSecond > want {
		t.Errorf("%v packets a second, want %v", perSecond, want)
	}
	if d := frameTime(100 * unit.Mbps); d != 723040*time.Nanosecond {
		t.Error(d)
	}
}

// TestEmulation reads what weft emulate prints, by a program that prints it.
func TestEmulation(t *testing.T) {
	fake := func(text string) *emulation {
		path := filepath.Join(t.TempDir(), "weft")
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		return &emulation{Weft: path, File: "f.yaml", Variant: "v", Sets: []string{"a=b"}, At: []placed{{"host0", []string{"server", "it's"}}}}
	}
	r, err := fake(`echo "$@" >&2; echo '{"packets":{"dropped":3},"late":{"p99_frames":2,"void":true},"commands":[{"host":"host0","status":0}]}'; exit 1`).run(t.Context())
	if err != nil || r.Packets.Dropped != 3 || !r.Late.Void {
		t.Errorf("%+v, %v", r, err)
	}
	for text, says := range map[string]string{
		`echo "$@" >&2; exit 2`: `emulate f.yaml --json --variant v --set a=b --at host0=exec`,
		`echo '{"commands":[{"host":"host0","status":7}]}'; echo why >&2; exit 1`: "on host0: exit status 7 : why",
		`echo '{"late":{"void":false}}'; echo why >&2; exit 1`:                    "why",
		`echo no`: "read what",
	} {
		if _, err := fake(text).run(t.Context()); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if q := quote("it's"); q != `'it'\''s'` {
		t.Error(q)
	}
}

// TestBothSides runs both drivers for a moment. Times are not looked at, as others use the machine.
func TestBothSides(t *testing.T) {
	if err := netns.Available(); err != nil {
		t.Skip(err)
	}
	if testing.Short() {
		t.Skip("it builds weft")
	}
	weft := filepath.Join(t.TempDir(), "weft")
	if out, err := exec.Command("go", "build", "-C", "../..", "-o", weft, "./cmd/weft").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var out bytes.Buffer
	if err := run(t.Context(), []string{"bucket", "--weft", weft, "--for", "2500ms"}, &out); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 2*(2+2+1) {
		t.Fatalf("%d lines: %s", len(lines), &out)
	}
	for i, line := range lines {
		if i%5 == 4 {
			if c := read[compared](t, []byte(line)); c.Mean <= 0 || c.Median <= 0 || c.P50 <= 0 || c.P99 <= 0 {
				t.Error(line)
			}
			continue
		}
		if m := read[measured](t, []byte(line)); m.Transfers == 0 || m.Mean <= 0 || m.MinRTT < 2000 {
			t.Error(line)
		}
	}
	for _, more := range [][]string{{"--loaded", "--queue", "12.5MB"}, {"--transport", "quic", "--request", "500kB", "--every", "100ms", "--all", "--ecn"}} {
		out.Reset()
		if err := run(t.Context(), append([]string{"incast", "--weft", weft, "--for", "3s", "--warm", "1s"}, more...), &out); err != nil {
			t.Fatal(err)
		}
		row := read[incasted](t, out.Bytes())
		if row.Samples == 0 || row.P50 < 16_000 || row.Mean <= 0 || row.Loaded != (row.Due > 0) || len(row.Broken) > 0 {
			t.Errorf("%q: %s", more, &out)
		}
	}
}
