// Package slurm turns studies into array jobs of Slurm. It splits runs into tasks that take
// minutes, writes the job's script, submits it, and follows it. It calls Slurm's commands
// and parses their output strictly: output that it does not understand becomes an error
// that shows it. The package does not depend on studies.
package slurm

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// ErrNotInstalled: Slurm's commands are missing.
var ErrNotInstalled = errors.New("not on the PATH")

// commandTime limits the time of a command. A busy controller answers late.
const commandTime = 2 * time.Minute

// ID identifies a submitted job.
type ID struct {
	Job uint64 `json:"job"`
	// Cluster is its cluster, or empty for the default cluster.
	Cluster string `json:"cluster,omitempty"`
}

// String returns the job's number, as people and the option -j of commands use it.
func (id ID) String() string { return strconv.FormatUint(id.Job, 10) }

// options returns options that name the job, for a command of Slurm.
func (id ID) options(job ...string) []string {
	if id.Cluster != "" {
		job = append(job, "--clusters="+id.Cluster)
	}
	return job
}

// CommandError is a command of Slurm that failed.
type CommandError struct {
	Command string
	// Text is its standard error output.
	Text string
	Err  error
}

func (e *CommandError) Error() string {
	if e.Text == "" {
		return fmt.Sprintf("%s: %v", e.Command, e.Err)
	}
	return e.Text
}

func (e *CommandError) Unwrap() error { return e.Err }

// Passing reports whether the command may succeed when it is repeated, because it could not
// reach the controller. It returns false if the controller refused something.
func (e *CommandError) Passing() bool {
	text := strings.ToLower(e.Text)
	for _, sign := range []string{
		"unable to contact", "timed out", "connection refused", "communication connection failure",
		"temporarily", "try again", "zero bytes were transmitted", "socket",
	} {
		if strings.Contains(text, sign) {
			return true
		}
	}
	return errors.Is(e.Err, context.DeadlineExceeded)
}

// call runs a command and returns its standard output.
func call(ctx context.Context, name string, args ...string) (string, error) {
	path, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, ErrNotInstalled)
	}
	limited, cancel := context.WithTimeout(ctx, commandTime)
	defer cancel()
	var stdout, stderr strings.Builder
	c := exec.CommandContext(limited, path, args...)
	c.Stdout, c.Stderr = &stdout, &stderr
	c.WaitDelay = time.Second
	if err := c.Run(); err != nil {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		if limited.Err() != nil {
			err = fmt.Errorf("no answer within %v: %w", commandTime, limited.Err())
		}
		return "", &CommandError{Command: name, Text: strings.TrimSpace(stderr.String()), Err: err}
	}
	return stdout.String(), nil
}

// Installed returns an error if Slurm's commands are missing.
func Installed() error {
	if _, err := exec.LookPath("sbatch"); err != nil {
		return fmt.Errorf("sbatch: %w", ErrNotInstalled)
	}
	return nil
}

// Submit submits a script.
func Submit(ctx context.Context, script string) (ID, error) {
	out, err := call(ctx, "sbatch", "--parsable", script)
	if err != nil {
		return ID{}, err
	}
	id, err := parseID(out)
	if err != nil {
		return ID{}, fmt.Errorf("sbatch may have submitted the job (squeue --me shows), but weft does not understand its output: %w", err)
	}
	return id, nil
}

// Limits are the limits of the cluster.
type Limits struct {
	// Tasks is the largest number of tasks in an array.
	Tasks int
}

// standardTasks is Slurm's default of MaxArraySize.
const standardTasks = 1001

// ReadLimits asks for the cluster's limits. If it fails, it also returns Slurm's defaults.
func ReadLimits(ctx context.Context) (Limits, error) {
	out, err := call(ctx, "scontrol", "show", "config")
	if err != nil {
		return Limits{Tasks: standardTasks}, err
	}
	l, err := parseLimits(out)
	if err != nil {
		return Limits{Tasks: standardTasks}, err
	}
	return l, nil
}

// Queue counts the tasks of a job that have not ended.
type Queue struct {
	Pending, Running int
	// Reasons are the reasons why tasks are pending, the most frequent first.
	Reasons []string
}

// Over reports whether all tasks have ended.
func (q Queue) Over() bool { return q.Pending+q.Running == 0 }

func (q Queue) String() string {
	text := fmt.Sprintf("%d running, %d pending", q.Running, q.Pending)
	if q.Pending > 0 && q.Running == 0 && len(q.Reasons) > 0 {
		text += " (" + strings.Join(q.Reasons, ", ") + ")"
	}
	return text
}

// ReadQueue returns the state of a job. A job that Slurm no longer knows is over.
func ReadQueue(ctx context.Context, id ID) (Queue, error) {
	out, err := call(ctx, "squeue", id.options("--array", "--noheader", "--format=%i|%T|%r", "--jobs="+id.String())...)
	var refused *CommandError
	if errors.As(err, &refused) && strings.Contains(refused.Text, "Invalid job id") {
		return Queue{}, nil
	}
	if err != nil {
		return Queue{}, err
	}
	return parseQueue(out, id)
}

// Ends counts the final states of a job's tasks, as in "TIMEOUT". It fails if the cluster
// keeps no accounts.
func Ends(ctx context.Context, id ID) (map[string]int, error) {
	out, err := call(ctx, "sacct", id.options("--allocations", "--noheader", "--parsable2", "--array", "--format=JobID,State", "--jobs="+id.String())...)
	if err != nil {
		return nil, err
	}
	return parseEnds(out, id)
}
