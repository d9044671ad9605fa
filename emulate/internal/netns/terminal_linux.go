package netns

import (
	"os/signal"

	"golang.org/x/sys/unix"
)

// takeTerminal makes this process's group the foreground group of its terminal.
func takeTerminal() {
	defer unstopped()()
	_ = unix.IoctlSetPointerInt(0, unix.TIOCSPGRP, unix.Getpgrp())
}

// unstopped lets a background process change its terminal without being stopped,
// until the returned function is called.
func unstopped() func() {
	if signal.Ignored(unix.SIGTTOU) {
		return func() {}
	}
	signal.Ignore(unix.SIGTTOU)
	return func() { signal.Reset(unix.SIGTTOU) }
}
