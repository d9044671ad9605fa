//go:build !linux

package socket

func newClock() (clock, error) { return newGoClock(), nil }
