package emulate_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"weft"
	"weft/emulate"
	"weft/scenario"
)

// Programs of the test, which it starts on hosts: this program with one of these as its argument.
const (
	serve = "test-serve"
	fetch = "test-fetch"
)

// transfer is how many bytes a program fetches.
const transfer = 1_000_000

var space *emulate.Space

func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case serve:
			os.Exit(serveOnce())
		case fetch:
			os.Exit(fetchFrom(os.Args[2]))
		}
		if run, ok := programs[os.Args[1]]; ok {
			os.Exit(run(os.Args[2:]))
		}
	}
	if emulate.Available() == nil {
		s, status, err := emulate.Enter()
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		if s == nil {
			os.Exit(status)
		}
		space = s
	}
	os.Exit(m.Run())
}

// content is what is fetched.
func content() []byte {
	b := make([]byte, 0, transfer)
	for sum := sha256.Sum256(nil); len(b) < transfer; sum = sha256.Sum256(sum[:]) {
		b = append(b, sum[:]...)
	}
	return b[:transfer]
}

func serveOnce() int {
	l, err := net.Listen("tcp", ":5001")
	if err != nil {
		fmt.Println(err)
		return 1
	}
	c, err := l.Accept()
	if err != nil {
		fmt.Println(err)
		return 1
	}
	if _, err := c.Write(content()); err != nil {
		fmt.Println(err)
		return 1
	}
	c.Close()
	return 0
}

func fetchFrom(host string) int {
	for range 200 {
		c, err := net.Dial("tcp", host+":5001")
		if err != nil {
			time.Sleep(20 * time.Millisecond)
			continue
		}
		began := time.Now()
		b, err := io.ReadAll(c)
		if err != nil || !bytes.Equal(b, content()) {
			fmt.Println("got", len(b), "bytes:", err)
			return 1
		}
		fmt.Println("fetched in", time.Since(began))
		return 0
	}
	fmt.Println("nobody serves")
	return 1
}

func load(t *testing.T, text string) *scenario.Scenario {
	t.Helper()
	f, err := scenario.Parse("fabric.yaml", []byte(text), weft.Builtin(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return f.Variants[0]
}

const leaves = `weft: 1
topology: {kind: leaf-spine, tors: 2, hosts_per_tor: 1, spines: 2, rate: 100Mbps, delay: 20us}
fabric: {queue: 300KB}
transport: {payload: 1448B, header: 90B, congestion: dctcp, balancer: ecmp}
traffic: [{name: main, pattern: permutation, size: 1MB}]
`

// TestKernelTCP: a program fetches a file from another over slow uplinks. It comes whole, and no sooner than the links allow.
func TestKernelTCP(t *testing.T) {
	if space == nil {
		t.Skip(emulate.Available())
	}
	s := load(t, leaves+"faults: [{kind: degrade, links: tor0->spine*, rate: 10Mbps, at: 0s}]\n")
	var mu sync.Mutex
	var said []string
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r, err := emulate.Run(t.Context(), s, space, emulate.Options{
		Commands: []emulate.Command{{Host: "host0", Line: program + " " + serve}, {Host: "host1", Line: program + " " + fetch + " host0"}},
		Output: func(c emulate.Command, line []byte) {
			mu.Lock()
			defer mu.Unlock()
			said = append(said, c.Host+": "+string(line))
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range r.Exits {
		if e.Status != 0 || e.Err != nil {
			t.Errorf("%+v", e)
		}
	}
	took, ok := strings.CutPrefix(strings.Join(said, "\n"), "host1: fetched in ")
	d, err := time.ParseDuration(took)
	if !ok || err != nil {
		t.Fatalf("programs said %q", said)
	}
	// The kernel sends some packets ahead of the accept. All others take at least the time of their bytes on the slow link.
	if least := transfer * 8 / 10 * time.Microsecond * 9 / 10; d < least {
		t.Errorf("%d B came in %v over 10 Mb/s, want %v at least", transfer, d, least)
	}
	if n := r.Packets; n.Left < transfer/1448 || n.Refused > 0 || n.Large > 0 {
		t.Errorf("%+v", n)
	}
	if r.Late.Packets != r.Packets.Left || r.Late.Worst < r.Late.P99 || r.Late.P99 < r.Late.P50 {
		t.Errorf("%+v of %d", r.Late, r.Packets.Left)
	}
}
