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

// mark is the variable of the environment by which a process knows that Enter started it:
// its stage, and the network namespace from which it was started.
const mark = "WEFT_NETNS"

// Stages of a program that enters: what the user started has none.
const (
	stageFirst = "first" // number 1 of the namespaces, which only waits and reaps
	stageInner = "inner" // its child, which does the work
)

// Files that number 1 inherits, beside the three standard ones.
const (
	lifelineFD = 3 // at its end when the outer process is gone
	reportFD   = 4 // takes what went wrong before the inner process started
)

// forwarded are the signals that the outer process hands on.
var forwarded = [...]os.Signal{unix.SIGINT, unix.SIGTERM, unix.SIGHUP}

// Space is what a process has that runs in namespaces of its own.
type Space struct {
	// proc tells that /proc is that of the namespaces.
	proc bool
}

// Enter starts the program anew, with the same arguments, in new user, mount, PID, UTS and
// network namespaces. There it returns a Space. In the process that called it first it returns
// a nil Space when the other has ended, and its exit status, with which the program should end;
// 128 and the number of the signal if one ended it.
//
// What the program does before Enter it does three times, so it should be called early. Standard
// files are the same. SIGINT, SIGTERM and SIGHUP are handed on.
func Enter() (*Space, int, error) {
	stage, outer, ok := strings.Cut(os.Getenv(mark), " ")
	if ok {
		// Programs on hosts may enter namespaces, too.
		os.Unsetenv(mark)
		// A variable that somebody set by hand makes nobody believe to be inside.
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

// Entering tells whether Enter started this process, and has not been called in it yet.
func Entering() bool {
	_, ok := os.LookupEnv(mark)
	return ok
}

// start runs number 1 and waits for it.
func start() (int, error) {
	// The kernel ends number 1 with the thread that started it, so this one has to stay.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()

	signals := make(chan os.Signal, 8)
	for _, s := range forwarded {
		if !signal.Ignored(s) { // nohup
			signal.Notify(signals, s)
		}
	}
	defer signal.Stop(signals)
	// A shell on a host takes the terminal, and cannot give it back from inside.
	if foreground, err := unix.IoctlGetInt(0, unix.TIOCGPGRP); err == nil && foreground == unix.Getpgrp() {
		defer takeTerminal()
	}

	cmd, report, life, err := launch()
	if err != nil {
		return 0, err
	}
	// Number 1 sees the end of this pipe also where the signal of a parent's death does not reach it.
	defer life.Close()
	text, _ := io.ReadAll(report)
	report.Close()
	// Before, number 1 might not hear of a signal: the kernel keeps those from it that it does not handle.
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

// launch starts number 1. It returns a pipe with its report, and one that ties its life to ours.
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
		// Terminals send signals to a group. In one of its own, each arrives once: by us.
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

// all are the namespaces of a Space, but for that of users.
const all = unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWUTS | unix.CLONE_NEWNET

// ways returns in which namespaces a child may be started, the best first. A user other than
// root has one way: to be root in a namespace that knows nobody else. Root keeps the users that
// there are, so that files of others stay what they are, and needs no namespace of users.
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
	// Where setting groups is forbidden, it stays so.
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

// present returns a map of all users or groups that there are to themselves.
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

// statusOf returns an exit status as shells give it.
func statusOf(status unix.WaitStatus) int {
	if status.Signaled() {
		return 128 + int(status.Signal())
	}
	return status.ExitStatus()
}
