//go:build !linux

package netns

import (
	"context"
	"runtime"
	"time"
)

// Available returns a *missingError.
func Available() error {
	return &missingError{Kind: "network namespaces", Found: runtime.GOOS + " has none", Remedy: "run on Linux, for example in a virtual machine"}
}

// Space represents the namespaces of a process that has its own.
type Space struct{}

// Enter returns a *missingError.
func Enter() (*Space, int, error) { return nil, 0, Available() }

// Entering returns false.
func Entering() bool { return false }

// Build returns a *missingError.
func (*Space) Build(Options) (*Hosts, error) { return nil, Available() }

// Hosts are the hosts of an emulated fabric. There are none on this system.
type Hosts struct{}

// Tap returns a *missingError.
func (*Hosts) Tap(TapOptions) (*Tap, error) { return nil, Available() }

// Names returns a *missingError.
func (*Hosts) Names() error { return Available() }

// Do returns a *missingError.
func (*Hosts) Do(int, func() error) error { return Available() }

// Run returns a *missingError.
func (*Hosts) Run(context.Context, Command) (int, error) { return 0, Available() }

// Lost returns a *missingError.
func (*Hosts) Lost() (Lost, error) { return Lost{}, Available() }

// Unread returns a *missingError.
func (*Hosts) Unread() ([]uint64, error) { return nil, Available() }

// MTU returns 0.
func (*Hosts) MTU() int { return 0 }

// IPv6 returns false.
func (*Hosts) IPv6() bool { return false }

// Notes returns nothing.
func (*Hosts) Notes() []string { return nil }

// Close does nothing.
func (*Hosts) Close() {}

// Tap reads what all hosts send, and writes what they receive.
type Tap struct{}

// Read returns a *missingError.
func (*Tap) Read([]Packet) (int, error) { return 0, Available() }

// Write returns a *missingError.
func (*Tap) Write([]Packet) (int, error) { return 0, Available() }

// Wait returns a *missingError.
func (*Tap) Wait(time.Duration) (bool, error) { return false, Available() }

// Wake does nothing.
func (*Tap) Wake() {}

// Room returns 0.
func (*Tap) Room() int { return 0 }

// Drops returns 0.
func (*Tap) Drops() uint64 { return 0 }

// Close does nothing.
func (*Tap) Close() error { return nil }

// ExactSleep returns a *missingError.
func ExactSleep() error { return Available() }

// Isolate returns a *missingError.
func Isolate() (func(), error) { return nil, Available() }

// FreeMemory returns 0.
func FreeMemory() int64 { return 0 }
