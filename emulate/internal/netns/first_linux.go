package netns

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// first is number 1 of the namespaces. It makes mounts private, starts the process that
// does the work, reaps processes that lose their parent, and returns the status of its
// child. When it ends, the kernel ends all others. It is a separate process because
// waiting for any child would take the children that package os/exec waits for.
func first(outer string) int {
	life, report := os.NewFile(lifelineFD, "lifeline"), os.NewFile(reportFD, "report")
	for _, fd := range []int{lifelineFD, reportFD} {
		unix.CloseOnExec(fd)
	}
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, forwarded[:]...)
	go func() {
		// Nothing is ever written: this returns when the outer process is gone.
		_, _ = life.Read(make([]byte, 1))
		os.Exit(128 + int(unix.SIGKILL))
	}()

	inner, err := second(outer)
	if err != nil {
		fmt.Fprint(report, err)
		return 1
	}
	report.Close()
	go func() {
		for s := range signals {
			_ = inner.Signal(s)
		}
	}()
	for {
		var status unix.WaitStatus
		pid, err := unix.Wait4(-1, &status, 0, nil)
		switch {
		case pid == inner.Pid:
			return statusOf(status)
		case err != nil && !errors.Is(err, unix.EINTR):
			return 1
		}
	}
}

// second starts the process that does the work.
func second(outer string) (*os.Process, error) {
	// Mounts from here on are invisible outside.
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return nil, here().unmounted(err)
	}
	// A container that hides parts of its /proc does not allow another one. Nothing depends on it.
	_ = unix.Mount("proc", "/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, "")
	if err := os.Setenv(mark, stageInner+" "+outer); err != nil {
		return nil, err
	}
	p, err := os.StartProcess("/proc/self/exe", os.Args, &os.ProcAttr{
		Files: []*os.File{os.Stdin, os.Stdout, os.Stderr},
		// Signals from a terminal arrive through the outer process.
		Sys: &syscall.SysProcAttr{Setpgid: true},
	})
	if err != nil {
		return nil, fmt.Errorf("start the program anew: %w", err)
	}
	return p, nil
}
