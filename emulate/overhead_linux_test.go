package emulate_test

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"weft/emulate"
	"weft/unit"
)

var (
	overhead        = flag.Bool("overhead", false, "measure lateness and processor time at several loads, and print a table")
	overheadSeconds = flag.Int("overhead.seconds", 10, "how long each load lasts")
	overheadSenders = flag.Int("overhead.senders", 0, "how many of the four hosts send; 0 is all at 100 Mb/s, and one at 1 Gb/s")
)

// star has four hosts. Packets of 1500 B take 1538 B on links.
const star = `weft: 1
topology: {kind: star, hosts: 4, rate: %s, delay: 20us}
fabric: {queue: 300KB}
transport: {payload: 1448B, header: 90B, congestion: dctcp, balancer: ecmp}
traffic: [{name: main, pattern: permutation, size: 1MB}]
`

const (
	onWire   = 1538
	begun    = "begun"
	finished = "finished"
)

func init() { programs["test-pace"] = pace }

// pace sends full packets to a host, so many nanoseconds apart, for some seconds, and reads what comes. What it sends late it
// makes up for at once, so that the load is as asked.
func pace(args []string) int {
	apart, err := strconv.Atoi(args[1])
	if err != nil {
		return said(err)
	}
	seconds, err := strconv.Atoi(args[2])
	if err != nil {
		return said(err)
	}
	own, err := net.ListenPacket("udp4", ":9")
	if err != nil {
		return said(err)
	}
	go func() {
		for b := make([]byte, 2000); ; {
			if _, _, err := own.ReadFrom(b); err != nil {
				return
			}
		}
	}()
	if apart <= 0 {
		time.Sleep(time.Duration(seconds+1) * time.Second)
		return 0
	}
	time.Sleep(500 * time.Millisecond) // the others listen by then
	c, err := net.Dial("udp4", args[0]+":9")
	if err != nil {
		return said(err)
	}
	runtime.LockOSThread()
	if err := unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0); err != nil {
		return said(err)
	}
	fmt.Println(begun)
	b, start := make([]byte, 1472), time.Now()
	for due := time.Duration(0); due < time.Duration(seconds)*time.Second; due += time.Duration(apart) {
		if early := due - time.Since(start); early > 0 {
			rest := unix.NsecToTimespec(int64(early))
			_ = unix.Nanosleep(&rest, nil)
		}
		// Another host may not read yet, and its kernel says so.
		if _, err := c.Write(b); err != nil && !errors.Is(err, syscall.ECONNREFUSED) {
			return said(err)
		}
	}
	fmt.Println(finished)
	time.Sleep(100 * time.Millisecond)
	return 0
}

// usage is the processor time of a thread.
type usage struct{ user, system time.Duration }

// used returns what a thread of this process has used, to 10 ms.
func used(t *testing.T, thread int) usage {
	text, err := os.ReadFile(fmt.Sprintf("/proc/self/task/%d/stat", thread))
	if err != nil {
		t.Error(err)
		return usage{}
	}
	// The name before may have spaces.
	f := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	ticks := func(s string) time.Duration {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Error(err)
		}
		return time.Duration(n) * 10 * time.Millisecond
	}
	return usage{ticks(f[11]), ticks(f[12])}
}

// TestOverhead measures how late packets are and what they cost, at three loads of two rates, beside bare forwarding:
//
//	go test ./emulate -run TestOverhead -overhead -v -timeout 30m
func TestOverhead(t *testing.T) {
	if !*overhead {
		t.Skip("-overhead was not given")
	}
	if space == nil {
		t.Skip(emulate.Available())
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// The thread of the emulator is that of its caller.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	bare, perSecond := bareForwarding(t)
	var rows []string
	for _, link := range []struct {
		rate    unit.Rate
		senders int
	}{{100 * unit.Mbps, 4}, {unit.Gbps, 1}} {
		for _, share := range []int{10, 50, 90} {
			rows = append(rows, measure(t, program, link.rate, cmp.Or(*overheadSenders, link.senders), share, bare))
		}
	}
	fmt.Printf("\nUDP, packets of 1500 B, %d s each. Bare forwarding: %.0f packets/s, %.1f µs a packet.\n\n", *overheadSeconds, perSecond, bare)
	fmt.Println("| link | hosts that send | load | packets/s | late p50, p99, worst (µs) | in packets' times | lost | a processor's share | µs a packet, user + system | beside bare forwarding |")
	fmt.Println("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
	fmt.Println(strings.Join(rows, "\n"))
	fmt.Println("\nThe share and the time have what the thread looks at the clock while it waits, so only the highest loads show what a packet costs.")
}

// bareForwarding returns the processor time of a packet in µs, and how many there are a second, as the median of some times.
func bareForwarding(t *testing.T) (each, perSecond float64) {
	t.Helper()
	var costs, rates []float64
	for range 9 {
		var before, after unix.Timespec
		if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &before); err != nil {
			t.Fatal(err)
		}
		n, err := emulate.ForwardsOnce(space, 1500)
		if err != nil {
			t.Fatal(err)
		}
		if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &after); err != nil {
			t.Fatal(err)
		}
		costs, rates = append(costs, float64(after.Nano()-before.Nano())/1e3/(n*emulate.Measured.Seconds())), append(rates, n)
	}
	slices.Sort(costs)
	slices.Sort(rates)
	return costs[len(costs)/2], rates[len(rates)/2]
}

// measure runs one load and returns its row.
func measure(t *testing.T, program string, rate unit.Rate, senders, share int, bare float64) string {
	t.Helper()
	packet := float64(onWire*8) / float64(rate) // seconds
	var commands []emulate.Command
	for h := range 4 {
		apart := packet * 100 / float64(share) * 1e9
		if h >= senders {
			apart = 0
		}
		commands = append(commands, emulate.Command{
			Host: fmt.Sprintf("host%d", h), Line: fmt.Sprintf("exec %s test-pace host%d %.0f %d", program, (h+1)%4, apart, *overheadSeconds),
		})
	}
	head := fmt.Sprintf("| %v | %d | %d %% |", rate, senders, share)
	var mu sync.Mutex
	var first, last usage
	var from, to time.Time
	thread := unix.Gettid()
	r, err := emulate.Run(t.Context(), load(t, fmt.Sprintf(star, rate)), space, emulate.Options{
		Commands: commands,
		Output: func(c emulate.Command, line []byte) {
			mu.Lock()
			defer mu.Unlock()
			switch {
			case string(line) == begun && from.IsZero():
				first, from = used(t, thread), time.Now()
			case string(line) == begun:
			case string(line) == finished:
				last, to = used(t, thread), time.Now()
			default:
				t.Errorf("%s: %s", c.Host, line)
			}
		},
	})
	if err != nil {
		return head + " " + err.Error() + " | | | | | | |"
	}
	for _, e := range r.Exits {
		if e.Err != nil || e.Status != 0 {
			t.Errorf("%+v", e)
		}
	}
	n, span := r.Packets, to.Sub(from).Seconds()
	lost := n.Refused + n.Dropped + r.Lost + r.Untaken + r.Overrun + r.SentLost + r.ReceivedLost
	each := func(d time.Duration) float64 { return d.Seconds() * 1e6 / float64(max(1, n.Left)) }
	user, system := each(last.user-first.user), each(last.system-first.system)
	micros := func(at unit.Time) float64 { return float64(at) / float64(unit.Microsecond) }
	for _, note := range r.Notes {
		t.Logf("%v, %d %%: %s", rate, share, note)
	}
	return fmt.Sprintf("%s %.0f | %.1f, %.1f, %.0f | %.2f, %.2f, %.1f | %d | %.0f %% | %.1f + %.1f | %.1f |", head,
		float64(n.Left)/span, micros(r.Late.P50), micros(r.Late.P99), micros(r.Late.Worst), r.Late.P50Frame, r.Late.P99Frame, micros(r.Late.Worst)/1e6/packet, lost,
		(last.user-first.user+last.system-first.system).Seconds()/span*100, user, system, (user+system)/bare)
}
