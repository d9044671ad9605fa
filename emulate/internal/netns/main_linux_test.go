package netns

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// space is that of the tests, which run inside; why says why there is none.
var (
	space *Space
	why   error
)

// program is the variable of the environment by which a test starts its own binary as a
// program that enters namespaces.
const program = "NETNS_TEST_PROGRAM"

func TestMain(m *testing.M) {
	if why = Available(); why != nil {
		os.Exit(m.Run())
	}
	s, status, err := Enter()
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	case s == nil:
		os.Exit(status)
	}
	if what, ok := os.LookupEnv(program); ok {
		os.Exit(run(s, what))
	}
	space = s
	os.Exit(m.Run())
}

// run is the program that tests start.
func run(s *Space, what string) int {
	verb, rest, _ := strings.Cut(what, " ")
	switch verb {
	case "exit":
		return 7
	case "die":
		_ = unix.Kill(os.Getpid(), unix.SIGKILL)
		time.Sleep(time.Minute)
	case "signals":
		// It tells each signal, and ends by the third.
		signals := make(chan os.Signal, 8)
		signal.Notify(signals, unix.SIGINT, unix.SIGTERM, unix.SIGHUP)
		fmt.Println("ready")
		for range 3 {
			fmt.Println(<-signals)
		}
		return 0
	case "host":
		h, err := s.Build(Options{Names: names(2)})
		if err != nil {
			fmt.Println(err)
			return 1
		}
		ctx, stop := signal.NotifyContext(context.Background(), unix.SIGTERM)
		defer stop()
		status, err := h.Run(ctx, Command{Args: Shell(rest), Stdout: os.Stdout, Stderr: os.Stderr})
		if err != nil && !errors.Is(err, context.Canceled) {
			fmt.Println(err)
		}
		return status
	case "terminal":
		h, err := s.Build(Options{Names: names(2)})
		if err != nil {
			fmt.Println(err)
			return 1
		}
		status, err := h.Run(context.Background(), Command{Args: []string{"sh", "-i"}, Terminal: true})
		fmt.Println("status", status, err)
	}
	return 0
}

// inside skips a test where there are no namespaces.
func inside(t testing.TB) {
	t.Helper()
	if why != nil {
		t.Skip(why)
	}
}

// nested skips a test whose program enters namespaces where it cannot do so once more.
func nested(t testing.TB) {
	t.Helper()
	inside(t)
	if err := Available(); err != nil {
		t.Skip(err)
	}
}

// build makes hosts for a test, or skips it.
func build(t testing.TB, n, mtu int) *Hosts {
	t.Helper()
	inside(t)
	h, err := space.Build(Options{Names: names(n), MTU: mtu})
	if errors.Is(err, errUnavailable) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Close)
	return h
}

func names(n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf("h%d", i)
	}
	return list
}
