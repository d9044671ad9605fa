package slurm

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var parsable = regexp.MustCompile(`^([1-9][0-9]*)(?:;([A-Za-z0-9_.-]+))?$`)

// parseID parses the output of sbatch --parsable: the job and, on some systems, its
// cluster.
func parseID(out string) (ID, error) {
	m := parsable.FindStringSubmatch(strings.TrimSuffix(out, "\n"))
	if m == nil {
		return ID{}, fmt.Errorf("%q is not a job", out)
	}
	job, err := strconv.ParseUint(m[1], 10, 64)
	if err != nil {
		return ID{}, fmt.Errorf("%q is not a job: %w", out, err)
	}
	return ID{job, m[2]}, nil
}

// parseLimits parses the output of scontrol show config.
func parseLimits(out string) (Limits, error) {
	l := Limits{Tasks: -1}
	for line := range strings.Lines(out) {
		key, value, ok := strings.Cut(line, "=")
		if !ok {
			continue
		}
		value = strings.TrimSpace(value)
		switch strings.TrimSpace(key) {
		case "MaxArraySize":
			// Indices count from 0 and are smaller than MaxArraySize.
			n, err := strconv.Atoi(value)
			if err != nil || n < 0 {
				return l, fmt.Errorf("scontrol show config: MaxArraySize is %q, not a number", value)
			}
			l.Tasks = tighter(l.Tasks, n)
		case "SchedulerParameters":
			for p := range strings.SplitSeq(value, ",") {
				text, ok := strings.CutPrefix(p, "max_array_tasks=")
				if !ok {
					continue
				}
				n, err := strconv.Atoi(text)
				if err != nil || n < 0 {
					return l, fmt.Errorf("scontrol show config: max_array_tasks is %q, not a number", text)
				}
				l.Tasks = tighter(l.Tasks, n)
			}
		}
	}
	if l.Tasks < 0 {
		return l, fmt.Errorf("scontrol show config does not show MaxArraySize")
	}
	return l, nil
}

// tighter returns the smaller limit; -1 means no limit.
func tighter(a, b int) int {
	if a < 0 {
		return b
	}
	return min(a, b)
}

// ended lists the states of tasks that have ended. They may still be listed for a while.
var ended = []string{
	"BOOT_FAIL", "CANCELLED", "COMPLETED", "DEADLINE", "FAILED", "NODE_FAIL", "OUT_OF_MEMORY", "REVOKED", "TIMEOUT",
}

// waiting lists the states of tasks that have not started, or will start again.
var waiting = []string{"PENDING", "CONFIGURING", "REQUEUED", "REQUEUE_FED", "REQUEUE_HOLD", "SPECIAL_EXIT", "RESV_DEL_HOLD", "PREEMPTED"}

// busy lists the states of tasks that occupy a node.
var busy = []string{"RUNNING", "COMPLETING", "SIGNALING", "STAGE_OUT", "STOPPED", "SUSPENDED", "RESIZING"}

// parseQueue parses lines of task, state and reason.
func parseQueue(out string, id ID) (Queue, error) {
	var q Queue
	reasons := map[string]int{}
	for line := range strings.Lines(out) {
		line = strings.TrimSpace(line)
		// With --clusters a heading names the cluster.
		if line == "" || id.Cluster != "" && line == "CLUSTER: "+id.Cluster {
			continue
		}
		parts := strings.SplitN(line, "|", 3)
		if len(parts) != 3 || !isTaskOf(parts[0], id) {
			return Queue{}, fmt.Errorf("squeue printed %q, which is not a task of job %s", line, id)
		}
		switch state := parts[1]; {
		case slices.Contains(waiting, state):
			q.Pending++
			if parts[2] != "" && parts[2] != "None" {
				reasons[parts[2]]++
			}
		case slices.Contains(busy, state):
			q.Running++
		case slices.Contains(ended, state):
		default:
			return Queue{}, fmt.Errorf("squeue printed %q, whose state is not known", line)
		}
	}
	q.Reasons = slices.SortedFunc(maps.Keys(reasons), func(a, b string) int {
		return cmp.Or(cmp.Compare(reasons[b], reasons[a]), cmp.Compare(a, b))
	})
	return q, nil
}

// isTaskOf reports whether a name is the name of a job, or of a task of its array.
func isTaskOf(name string, id ID) bool {
	job, task, isTask := strings.Cut(name, "_")
	if job != id.String() {
		return false
	}
	if isTask {
		_, err := strconv.ParseUint(task, 10, 32)
		return err == nil
	}
	return true
}

// parseEnds parses lines of task and state.
func parseEnds(out string, id ID) (map[string]int, error) {
	ends := map[string]int{}
	for line := range strings.Lines(out) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		name, state, ok := strings.Cut(line, "|")
		if !ok || !isTaskOf(name, id) {
			return nil, fmt.Errorf("sacct printed %q, which is not a task of job %s", line, id)
		}
		// As in "CANCELLED by 1000".
		state, _, _ = strings.Cut(state, " ")
		if slices.Contains(ended, state) || state == "PREEMPTED" {
			ends[state]++
		}
	}
	return ends, nil
}
