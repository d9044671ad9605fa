package netns

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// mark is the environment variable by which a process knows that Enter started it. Its
// value is the stage and the network namespace from which the process was started.
const mark = "WEFT_NETNS"

// Stages of a program that enters namespaces. The process that the user started has no stage.
const (
	stageFirst = "first" // number 1 of the namespaces, which only waits and reaps
	stageInner = "inner" // its child, which does the work
)

// Files that number 1 inherits in addition to the three standard ones.
const (
	lifelineFD = 3 // reads end of file when the outer process is gone
	reportFD   = 4 // receives errors from before the start of the inner process
)

// forwarded are the signals that the outer process forwards.
var forwarded = [...]os.Signal{unix.SIGINT, unix.SIGTERM, unix.SIGHUP}

// Space represents the namespaces of a process that has its own.
type Space struct {
	// proc reports that /proc shows the processes of the namespaces.
	proc bool
}

// Enter starts the program again, with the same arguments, in new user, mount, PID, UTS and
// network namespaces. There it returns a Space. In the process that called it first, it waits
// for the other one to end. Then it returns a nil Space and the exit status with which the
// program should end: 128 plus the signal's number if a signal ended the other process.
//
// The program runs the code before Enter three times, so call it early. Standard
// files stay the same. SIGINT, SIGTERM and SIGHUP are forwarded.
func Enter() (*Space, int, error) {
	stage, outer, ok := strings.Cut(os.Getenv(mark), " ")
	if ok {
		// Programs on hosts may enter namespaces themselves.
		os.Unsetenv(mark)
		// A variable set by hand does not prove that the process is inside.
		if here, err := os.Readlink("/proc/thread-self/ns/net"); err != nil || here == outer {
			ok = false
		}
	}
	switch {
	case ok && stage == stageFirst:
		os.Exit(first(outer))
	case ok && stage == stageInner:
		return &Space{proc: ownProc() == nil}, 0, nil
	}
	status, err := start()
	return nil, status, err
}

// Entering reports whether Enter started this process and has not been called in it yet.
func Entering() bool {
	_, ok := os.LookupEnv(mark)
	return ok
}

// start runs number 1 and waits for it.
func start() (int, error) {
	// The kernel ends number 1 with the thread that started it, so this thread must stay.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()

	signals := make(chan os.Signal, 8)
	for _, s := range forwarded {
		if !signal.Ignored(s) { // nohup
			signal.Notify(signals, s)
		}
	}
	defer signal.Stop(signals)
	// A shell on a host takes the terminal and cannot return it from inside.
	if foreground, err := unix.IoctlGetInt(0, unix.TIOCGPGRP); err == nil && foreground == unix.Getpgrp() {
		defer takeTerminal()
	}

	cmd, report, life, err := launch()
	if err != nil {
		return 0, err
	}
	// Number 1 also sees the end of this pipe if the parent-death signal does not reach it.
	defer life.Close()
	text, _ := io.ReadAll(report)
	report.Close()
	// Forward signals only now: the kernel withholds from number 1 any signal that it
	// does not handle yet.
	done := make(chan struct{})
	defer close(done)
	go func() {
		for {
			select {
			case s := <-signals:
				_ = cmd.Process.Signal(s)
			case <-done:
				return
			}
		}
	}()
	err = cmd.Wait()
	var exit *exec.ExitError
	switch {
	case len(text) > 0:
		return 0, fmt.Errorf("enter namespaces: %s", text)
	case err == nil:
		return 0, nil
	case !errors.As(err, &exit):
		return 0, fmt.Errorf("wait for the process in namespaces: %w", err)
	}
	return statusOf(unix.WaitStatus(exit.Sys().(syscall.WaitStatus))), nil
}

// launch starts number 1. It returns a pipe with its report, and a pipe that ties its life to ours.
func launch() (cmd *exec.Cmd, report, life *os.File, err error) {
	if err := ownProc(); err != nil {
		return nil, nil, nil, err
	}
	outer, err := os.Readlink("/proc/thread-self/ns/net")
	if err != nil {
		return nil, nil, nil, err
	}
	for _, way := range ways() {
		lifeline, mine, err := os.Pipe()
		if err != nil {
			return nil, nil, nil, err
		}
		report, theirs, err := os.Pipe()
		if err != nil {
			lifeline.Close()
			mine.Close()
			return nil, nil, nil, err
		}
		cmd := &exec.Cmd{
			Path: "/proc/self/exe", Args: os.Args, Env: append(os.Environ(), mark+"="+stageFirst+" "+outer),
			Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
			ExtraFiles:  []*os.File{lifeline, theirs},
			SysProcAttr: way,
		}
		// Terminals signal a process group. In its own group, number 1 gets each signal once, from us.
		way.Setpgid, way.Pdeathsig = true, unix.SIGKILL
		err = cmd.Start()
		lifeline.Close()
		theirs.Close()
		if err == nil {
			return cmd, report, mine, nil
		}
		report.Close()
		mine.Close()
		if !refused(err) {
			return nil, nil, nil, fmt.Errorf("start %s in namespaces: %w", os.Args[0], err)
		}
	}
	if err := Available(); err != nil {
		return nil, nil, nil, err
	}
	return nil, nil, nil, fmt.Errorf("%w: each kind is to be had, but not all at once", errUnavailable)
}

// all are the namespaces of a Space, except the user namespace.
const all = unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWUTS | unix.CLONE_NEWNET

// ways returns the attributes with which a child may be started, the best first. An ordinary
// user has one way: to be root in a namespace without other users. Root keeps all existing
// users, so that other users' files keep their owners, and can do without a user namespace.
func ways() []*syscall.SysProcAttr {
	uid, gid := os.Geteuid(), os.Getegid()
	single := &syscall.SysProcAttr{
		Cloneflags:  unix.CLONE_NEWUSER | all,
		UidMappings: []syscall.SysProcIDMap{{HostID: uid, Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{HostID: gid, Size: 1}},
	}
	if uid != 0 {
		return []*syscall.SysProcAttr{single}
	}
	uids, gids := present("/proc/self/uid_map"), present("/proc/self/gid_map")
	// Where setgroups is forbidden, it stays forbidden.
	groups, err := os.ReadFile("/proc/self/setgroups")
	setgroups := err == nil && strings.TrimSpace(string(groups)) == "allow"
	list := []*syscall.SysProcAttr{single, {Cloneflags: all}}
	if len(uids) > 0 && len(gids) > 0 {
		list = slices.Insert(list, 0, &syscall.SysProcAttr{
			Cloneflags: unix.CLONE_NEWUSER | all, UidMappings: uids, GidMappings: gids, GidMappingsEnableSetgroups: setgroups,
		})
	}
	return list
}

// present returns an identity map of all existing users or groups.
func present(path string) []syscall.SysProcIDMap {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	var list []syscall.SysProcIDMap
	for line := range strings.Lines(string(text)) {
		var id, host, size int
		if _, err := fmt.Sscan(line, &id, &host, &size); err != nil {
			return nil
		}
		list = append(list, syscall.SysProcIDMap{ContainerID: id, HostID: id, Size: size})
	}
	return list
}

// statusOf returns an exit status as shells report it.
func statusOf(status unix.WaitStatus) int {
	if status.Signaled() {
		return 128 + int(status.Signal())
	}
	return status.ExitStatus()
}
