package hosttest_test

import (
	"fmt"
	"math/rand/v2"

	"weft/protocol"
	"weft/protocol/hosttest"
	"weft/protocol/phost"
	"weft/unit"
)

// failer stands in for *testing.T.
type failer struct{}

func (failer) Helper()                           {}
func (failer) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }

// pHost makes pHost with its defaults, as whoever tests a transport of their own makes theirs.
func pHost(hosts int32) func(host int32, out *protocol.HostOutput) protocol.HostTransport {
	entry := phost.Entries()[0]
	options, err := entry.Defaults()
	if err != nil {
		panic(err)
	}
	control, err := entry.Build(options)
	if err != nil {
		panic(err)
	}
	return func(host int32, out *protocol.HostOutput) protocol.HostTransport {
		env := hosttest.Env(hosts)
		env.Host, env.Out, env.Rand = host, out, rand.NewPCG(1, uint64(host))
		return control.NewHost(env)
	}
}

// A test of a transport: messages to one host over a network that loses one packet in a
// hundred, repeats some and reorders others, until nothing is left to happen.
func Example() {
	var t failer // in a test, its *testing.T
	l := hosttest.New(t, 3, pHost(3))
	l.Fate = hosttest.Chance(rand.New(rand.NewPCG(1, 2)), 0.01, 0.01, 2*unit.Microsecond)
	l.Send(1, 0, 300*unit.KB, 0)
	l.Send(2, 0, 20*unit.KB, 0)
	l.Finish(unit.Second)
	fmt.Println(len(l.Delivered), "messages,", l.Fresh)
	// Output: 2 messages, 320KB
}
