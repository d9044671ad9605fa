//go:build !linux

package netns

import (
	"context"
	"runtime"
	"time"
)

// Available returns a *MissingError.
func Available() error {
	return &MissingError{Kind: "network namespaces", Found: runtime.GOOS + " has none", Remedy: "run on Linux, for example in a virtual machine"}
}

// Space is what a process has that runs in namespaces of its own.
type Space struct{}

// Enter returns a *MissingError.
func Enter() (*Space, int, error) { return nil, 0, Available() }

// Build returns a *MissingError.
func (*Space) Build(Options) (*Hosts, error) { return nil, Available() }

// Hosts are the hosts of an emulated fabric. There are none on this system.
type Hosts struct{}

// Tap returns a *MissingError.
func (*Hosts) Tap(TapOptions) (*Tap, error) { return nil, Available() }

// Names returns a *MissingError.
func (*Hosts) Names() error { return Available() }

// Do returns a *MissingError.
func (*Hosts) Do(int, func() error) error { return Available() }

// Start returns a *MissingError.
func (*Hosts) Start(context.Context, Command) (*Process, error) { return nil, Available() }

// Run returns a *MissingError.
func (*Hosts) Run(context.Context, Command) (int, error) { return 0, Available() }

// Lost returns a *MissingError.
func (*Hosts) Lost() (sent, received uint64, err error) { return 0, 0, Available() }

// MTU returns 0.
func (*Hosts) MTU() int { return 0 }

// IPv6 returns false.
func (*Hosts) IPv6() bool { return false }

// Notes returns nothing.
func (*Hosts) Notes() []string { return nil }

// Close does nothing.
func (*Hosts) Close() {}

// Process is a command that runs on a host.
type Process struct{}

// Wait returns a *MissingError.
func (*Process) Wait() (int, error) { return 0, Available() }

// Tap reads what all hosts send, and writes what they get.
type Tap struct{}

// Read returns a *MissingError.
func (*Tap) Read([]Packet) (int, error) { return 0, Available() }

// Write returns a *MissingError.
func (*Tap) Write([]Packet) (int, error) { return 0, Available() }

// Wait returns a *MissingError.
func (*Tap) Wait(time.Duration) (bool, error) { return false, Available() }

// Room returns 0.
func (*Tap) Room() int { return 0 }

// Drops returns 0.
func (*Tap) Drops() uint64 { return 0 }

// Close does nothing.
func (*Tap) Close() error { return nil }

// ExactSleep returns a *MissingError.
func ExactSleep() error { return Available() }
